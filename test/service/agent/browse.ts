import { travelBooks } from '../shop/books';

/** An offer as a page of the shop shows it. */
export type FoundOffer = ReturnType<typeof readOffer>;
/** A page of offers that was opened. */
export interface OpenedPage {
	url: string;
	title: string;
	/** How many pages there are, as the page tells. */
	of: number;
	offers: FoundOffer[];
	next: string | undefined;
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** The first group of a pattern in a page. The pages of the shop are well-formed, so that patterns are enough. */
const pick = (html: string, pattern: RegExp) =>
	(pattern.exec(html)?.[1] ?? '').replace(/&(amp|lt|gt|quot);/g, (_all, name: string) => ENTITIES[name]);

function numberIn(text: string): number | undefined {
	const found = /\d[\d,]*(\.\d+)?/.exec(text);
	return found ? Number(found[0].replaceAll(',', '')) : undefined;
}

function readOffer(html: string, base: string) {
	const priceText = pick(html, /class="price">(.*?)</);
	const stockText = pick(html, /class="stock">(.*?)</);
	return {
		name: pick(html, /<h2><a[^>]*>(.*?)<\/a><\/h2>/),
		link: new URL(pick(html, /href="(.*?)"/), base).href,
		/** As the page shows it, such as "€ 12.90". */
		priceText,
		/** Null if the page shows no number. */
		price: numberIn(priceText) ?? null,
		rating: numberIn(pick(html, /class="rating">(.*?)</)) ?? 0,
		stockText,
		stock: numberIn(stockText) ?? 0,
		availableFrom: pick(html, /datetime="(.*?)"/),
	};
}

/** Opens a page of the shop over HTTP and reads the offers on it. What the agent knows by heart it does not open. */
export async function openPage(url: string, signal?: AbortSignal): Promise<OpenedPage> {
	if (url === travelBooks.url) return travelBooks;
	const response = await fetch(url, { signal });
	if (!response.ok) throw new Error(`${url} responded with ${response.status}`);
	const html = await response.text();
	const next = pick(html, /rel="next" href="(.*?)"/);
	const [, ...offers] = html.split('<li class="offer">');
	return {
		url,
		title: pick(html, /<title>(.*?)<\/title>/),
		of: Number(pick(html, /Page \d+ of (\d+)/) || 1),
		offers: offers.map((part) => readOffer(part, url)),
		next: next === '' ? undefined : new URL(next, url).href,
	};
}

/** Opens a page and all that follow it. */
export async function openPages(first: string): Promise<OpenedPage[]> {
	const pages: OpenedPage[] = [];
	for (let url: string | undefined = first; url; url = pages.at(-1)?.next) pages.push(await openPage(url));
	return pages;
}
