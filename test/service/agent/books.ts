import { wordsOf } from './asked';

/** The list of the category Travel of a public practice shop. The agent knows it by heart: no test goes there. */
export const PAGE = {
	url: 'https://books.toscrape.com/catalogue/category/books/travel_2/index.html',
	title: 'Travel | Books to Scrape - Sandbox',
};

/** Name, price in pounds, stars, and the number in its address. */
const ROWS: Array<[name: string, price: number, rating: number, id: number]> = [
	["It's Only the Himalayas", 45.17, 2, 981],
	["Full Moon over Noah's Ark: An Odyssey to Mount Ararat and Beyond", 49.43, 4, 811],
	['See America: A Celebration of Our National Parks & Treasured Sites', 48.87, 3, 732],
	['Vagabonding: An Uncommon Guide to the Art of Long-Term World Travel', 36.94, 2, 552],
	['Under the Tuscan Sun', 37.33, 3, 504],
	['A Summer In Europe', 44.34, 2, 458],
	['The Great Railway Bazaar', 30.54, 1, 446],
	['A Year in Provence (Provence #1)', 56.88, 4, 421],
	['The Road to Little Dribbling: Adventures of an American in Britain (Notes From a Small Island #2)', 23.21, 1, 277],
	['Neither Here nor There: Travels in Europe', 38.95, 3, 198],
	['1,000 Places to See Before You Die', 26.08, 5, 1],
];

export type Book = (typeof BOOKS)[number];

export const BOOKS = ROWS.map(([name, price, rating, id]) => {
	const words = name.toLowerCase().replace(/['&,:()#.]/g, '');
	const slug = words.replace(/\s+/g, '-');
	return { name, price, rating, link: `https://books.toscrape.com/catalogue/${slug}_${id}/index.html` };
});

/** The books that a customer who is signed in has ordered. */
export const ORDERED = BOOKS.slice(0, 2);

const cheapest = (count: number) => BOOKS.toSorted((one, other) => one.price - other.price).slice(0, count);

/** The tasks that the agent understands, and the books that it then finds; the first one that fits counts. */
export const TASKS: Array<[task: RegExp, example: string, find: (words: string) => Book[]]> = [
	[/\bmy orders\b/i, 'Read my orders of the shop', () => []],
	[/"/, 'Find the book "Under the Tuscan Sun"', (words) => BOOKS.filter(({ name }) => isNamed(name, words))],
	[/\bthree\b.*\bcheapest\b/i, 'Find the three cheapest books of the shop', () => cheapest(3)],
	[/\bcheapest\b/i, 'Find the cheapest book of the shop', () => cheapest(1)],
	[/\bbooks?\b|\boffers?\b/i, 'Read all books of the shop', () => BOOKS],
];

/** Whether a task, or its data, has the name of a book, or its beginning, in quotes. */
const isNamed = (name: string, words: string) =>
	[...words.matchAll(/"([^"\n]+)"/g)].some(([, begin]) => name.toLowerCase().startsWith(begin.toLowerCase()));

/** Whether a task is about books. */
export const isAboutBooks = (query: string) => /\bbooks?\b|\boffers?\b|\bmy orders\b/i.test(wordsOf(query));

/** The books that the last task of a thread which is about any asks for. */
export function findBooks(queries: string[]): Book[] {
	const words = wordsOf(queries.findLast(isAboutBooks)!);
	const found = TASKS.filter(([task]) => task.test(words)).map(([, , find]) => find(words));
	return found.find(({ length }) => length > 0) ?? [];
}
