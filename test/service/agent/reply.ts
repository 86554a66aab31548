import type { FoundOffer, OpenedPage } from './browse';
import { asksWhetherDone, choose, needsSignIn, replyForm, wantsPricesAsShown, type Column } from './task';

/** What is known of a column by its name, in the order in which the names are tried. */
const FACTS: Array<[name: RegExp, read: (offer: FoundOffer, type: string) => unknown]> = [
	[/date|from$/, ({ availableFrom }) => availableFrom],
	[/name|title|^(product|offer|item)$/, ({ name }) => name],
	[/price|cost/, ({ price, priceText }, type) => (type === 'text' ? priceText : price)],
	[/link|url|href/, ({ link }) => link],
	[/rating|stars/, ({ rating }) => rating],
	[
		/stock|available|availability/,
		({ stock, stockText }, type) => (type === 'true or false' ? stock > 0 : type === 'number' ? stock : stockText),
	],
	[/currency/, () => 'EUR'],
];

function valueOf(offer: FoundOffer, { name, type }: Column): unknown {
	const plain = name.toLowerCase().replace(/[^a-z]/g, '');
	const value = FACTS.find(([pattern]) => pattern.test(plain))?.[1](offer, type) ?? null;
	return type === 'text' && value !== null ? String(value) : value;
}

function jsonReply(chosen: FoundOffer[], columns: Column[], query: string): string {
	const asShown = wantsPricesAsShown(query);
	const rows = chosen.map((offer) => {
		const given = asShown ? { ...offer, price: offer.priceText as unknown as number } : offer;
		return JSON.stringify(Object.fromEntries(columns.map((column) => [column.name, valueOf(given, column)])));
	});
	const list = rows.length > 0 ? `[\n    ${rows.join(',\n    ')}\n  ]` : '[]';
	return `\`\`\`json\n{\n  "rows": ${list}\n}\n\`\`\``;
}

const inProse = ({ name, link, priceText, rating, stockText }: FoundOffer) =>
	`- [${name}](${link}): ${priceText}, rated ${rating} of 5, ${stockText.toLowerCase()}`;

/** What the agent says of a task for which it would have to sign in. */
function replyWithoutSignIn(query: string, columns: Column[]): string {
	const reason = 'The shop asks for a sign-in';
	const said = `${reason}, so I could not read the orders.`;
	const asked = asksWhetherDone(query);
	if (asked === 'line') return `${said}\n\nTASK NOT DONE: ${reason}`;
	const json = { ...(columns.length && { rows: [] }), ...(asked && { not_done: reason }) };
	return Object.keys(json).length ? `${said}\n\n\`\`\`json\n${JSON.stringify(json)}\n\`\`\`` : said;
}

/** What the agent says at the end: rows in the columns that the task asks for, or prose with a Markdown list. */
export function replyTo(queries: string[], pages: OpenedPage[]): string {
	const query = queries.at(-1)!;
	const offers = pages.flatMap((page) => page.offers);
	const { columns, one } = replyForm(query);
	if (needsSignIn(query)) return replyWithoutSignIn(query, columns);
	const chosen = choose(offers, queries).slice(0, one ? 1 : undefined);
	const places = pages.length === 1 ? '1 page' : `${pages.length} pages`;
	const read = `I read ${offers.length} offers on ${places} of the shop.`;
	const fit = chosen.length === 1 ? '1 offer fits' : `${chosen.length || 'No'} offers fit`;
	if (columns.length > 0) return `${read} ${fit} the task.\n\n${jsonReply(chosen, columns, query)}`;
	return chosen.length > 0
		? `${read} ${fit} the task:\n\n${chosen.map(inProse).join('\n')}\n`
		: `${read} ${fit} the task.`;
}
