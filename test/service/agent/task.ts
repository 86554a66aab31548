import type { FoundOffer } from './browse';

/** The tasks that the agent understands, and what it does. They can be combined: "the two cheapest offers in stock under 50". */
export const shopTasks: Array<[task: string, meaning: string]> = [
	['Read all offers of the shop', 'every offer; also if the task says nothing else'],
	['Find the three cheapest offers on the shop', 'by price; any number, in words or digits'],
	['Find the two best rated offers on the shop', 'by rating'],
	['Find the offers on the shop under 20', 'or below, less than, at most, up to'],
	['Find the offers of the shop that are in stock', 'not those that are sold out'],
	[
		'Find the three cheapest books in the Travel category of https://books.toscrape.com',
		'the same for its eleven books',
	],
	['Find "Under the Tuscan Sun" on https://books.toscrape.com', 'the book whose name begins so'],
	['... with prices as shown', 'returns "€ 12.90" for a number, until a follow-up complains'],
	['Read my orders of the shop', 'cannot be done: the shop asks for a sign-in'],
	['Return the offers you found', 'in a thread about the shop, for example one started in the background'],
];

/** One column that a task asks for. */
export interface Column {
	name: string;
	/** As the task names it. */
	type: string;
}

const COUNTS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const RANKED = /(?:(\w+) )?(?:(cheapest)|best[- ]rated)(?: (\w+))?/i;
const LIMIT = /\b(?:under|below|less than|cheaper than|at most|up to)\s+(?:€|£|EUR|GBP|\$)?\s*(\d+(?:\.\d+)?)/i;
const IN_STOCK = /\bin stock\b/i;
const ALL = /\b(?:all|every)\b[^.]*\b(?:offers?|books?)\b/i;
const BOOKS = /\bbooks\.toscrape\.com\b/i;

/** Where a task ends and the text about the form of the reply begins. */
const REPLY_FORM = /^(?:.*\breply with\b.*\bJSON\b|Only if something stopped you)/m;

/** The task itself. A complaint about the last reply is none: it quotes what the agent said. */
const wordsOf = (query: string) =>
	/^Your last reply does not fit/.test(query) ? '' : query.slice(0, REPLY_FORM.exec(query)?.index);

/** Whether a task is about the shop. */
export const isAboutShop = (query: string) =>
	isAboutBooks(query) || /\bshop\b|\boffers\b|\/shop\//i.test(wordsOf(query));

/** Whether it is about the practice shop for books. */
export const isAboutBooks = (query: string) => BOOKS.test(wordsOf(query));

/** The names between quotes, in a task or in its data. */
const quotedIn = (words: string) => [...words.matchAll(/"([^"\n]+)"/g)].map(([, name]) => name.toLowerCase());

const choosing = (words: string) =>
	BOOKS.test(words) || [RANKED, LIMIT, IN_STOCK, ALL].some((pattern) => pattern.test(words));

/** How many "three cheapest" are; "the cheapest offer" is one. */
function countOf([, before = '', , after = '']: RegExpExecArray): number {
	const counts = [before, after].map((word) => Number(word) || COUNTS.indexOf(word.toLowerCase()) + 1);
	return counts.find(Boolean) ?? (/s$/i.test(after) ? 3 : 1);
}

/** The offers that the last task of a thread which chooses among them asks for; all of them if none does. */
export function choose(offers: FoundOffer[], queries: string[]): FoundOffer[] {
	const words = queries.map(wordsOf).findLast(choosing) ?? '';
	const ranked = RANKED.exec(words);
	const limit = Number(LIMIT.exec(words)?.[1] ?? Infinity);
	const quoted = quotedIn(words);
	const named = offers.filter(({ name }) => quoted.some((begin) => name.toLowerCase().startsWith(begin)));
	if (named.length > 0) return named;
	const fitting = offers.filter(({ price, stock }) => {
		const isPriced = price !== null || (limit === Infinity && !ranked?.[2]);
		return isPriced && (price ?? 0) <= limit && (stock > 0 || !IN_STOCK.test(words));
	});
	if (!ranked) return fitting;
	const rank = ({ price, rating }: FoundOffer) => (ranked[2] ? Number(price) : -rating);
	return fitting.sort((one, other) => rank(one) - rank(other)).slice(0, countOf(ranked));
}

/** Whether a task wants prices as the page shows them. */
export const wantsPricesAsShown = (query: string) => /\bprices as shown\b/i.test(wordsOf(query));

/** Whether a task needs a sign-in, which the agent does not have. */
export const needsSignIn = (query: string) => /\bmy orders\b/i.test(wordsOf(query));

/** How a task asks the agent to say if it could not do it: in its JSON, in a line of its text, or not at all. */
export const asksWhetherDone = (query: string): 'json' | 'line' | undefined =>
	query.includes('"not_done"') ? 'json' : query.includes('TASK NOT DONE:') ? 'line' : undefined;

/** What a task says about the form of the reply. */
export function replyForm(query: string): { columns: Column[]; one: boolean } {
	const form = query.slice(REPLY_FORM.exec(query)?.index ?? query.length);
	const types = 'text|number|true or false|date|list|object|one of|full address with https://';
	const lines = form.matchAll(new RegExp(`^- "(.+)" \\((${types})(?:[, ].*)?\\)`, 'gm'));
	return {
		columns: [...lines].map(([, name, type]) => ({ name: JSON.parse(`"${name}"`) as string, type })),
		one: /exactly one row/i.test(form),
	};
}
