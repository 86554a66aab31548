/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { offers, type Offer } from './offers';

/** Where the shop is on the server of the service. */
export const SHOP_PREFIX = '/shop/';

const PER_PAGE = 8;
const PAGES = Math.ceil(offers.length / PER_PAGE);

const HTML = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => HTML[character as keyof typeof HTML]);

const euros = new Intl.NumberFormat('en', { minimumFractionDigits: 2 });
const priceOf = ({ price }: Offer) => (price === undefined ? 'Price on request' : `€ ${euros.format(price)}`);
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

const STYLE = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
	ul { list-style: none; padding: 0; display: grid; grid-template-columns: 1fr 1fr; gap: 1rem }
	li { border: 1px solid #ddd; border-radius: 6px; padding: 0 1rem } h2 { font-size: 1.1rem } .price { font-weight: bold }`;

const html = (title: string, content: string) => `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>${escaped(title)}</title><style>${STYLE}</style></head>
<body>
<h1>${escaped(title)}</h1>
${content}
</body>
</html>
`;

const facts = (offer: Offer) => `<p class="price">${priceOf(offer)}</p>
<p class="rating">${offer.rating.toFixed(1)} of 5</p>
<p class="stock">${offer.stock > 0 ? `${offer.stock} in stock` : 'Sold out'}</p>
<p>Available from <time datetime="${offer.availableFrom}">${day.format(new Date(offer.availableFrom))}</time></p>`;

const inList = (offer: Offer) => `<li class="offer">
<h2><a href="${SHOP_PREFIX}offers/${offer.slug}">${escaped(offer.name)}</a></h2>
${facts(offer)}
</li>`;

function listPage(number: number): string {
	const here = offers.slice((number - 1) * PER_PAGE, number * PER_PAGE);
	const link = (rel: 'prev' | 'next', text: string, to: number) =>
		to >= 1 && to <= PAGES ? `<a rel="${rel}" href="${SHOP_PREFIX}?page=${to}">${text}</a>` : '';
	const links = [link('prev', 'Previous', number - 1), link('next', 'Next', number + 1)];
	return html(
		`The Corner Shop, page ${number}`,
		`<p>Page ${number} of ${PAGES}</p>
<ul>
${here.map(inList).join('\n')}
</ul>
<nav>${links.filter(Boolean).join(' ')}</nav>`,
	);
}

const offerPage = (offer: Offer) =>
	html(offer.name, `<p>${escaped(offer.about)}</p>\n${facts(offer)}\n<p><a href="${SHOP_PREFIX}">All offers</a></p>`);

function find(url: URL): string | undefined {
	const path = url.pathname.slice(SHOP_PREFIX.length);
	if (path === '') {
		const number = Number(url.searchParams.get('page') ?? 1);
		return Number.isInteger(number) && number >= 1 && number <= PAGES ? listPage(number) : undefined;
	}
	const offer = offers.find(({ slug }) => path === `offers/${slug}`);
	return offer && offerPage(offer);
}

/** A small shop website for people and for the agent: lists of offers, and a page for each. */
export function serveShop(request: IncomingMessage, response: ServerResponse) {
	const found = find(new URL(request.url ?? '', 'http://service'));
	response.writeHead(found ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
	response.end(found ?? html('Not found', `<p><a href="${SHOP_PREFIX}">All offers</a></p>`));
}
