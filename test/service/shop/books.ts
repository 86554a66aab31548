import type { OpenedPage } from '../agent/browse';

/** The list of the category Travel of a public practice shop. The agent knows it by heart: no test goes there. */
const TRAVEL_URL = 'https://books.toscrape.com/catalogue/category/books/travel_2/index.html';

/** Name, price in pounds, stars, and the end of the address of each book, in the order of the list. */
const BOOKS: Array<[name: string, price: number, rating: number, slug: string]> = [
	["It's Only the Himalayas", 45.17, 2, 'its-only-the-himalayas_981'],
	[
		"Full Moon over Noah's Ark: An Odyssey to Mount Ararat and Beyond",
		49.43,
		4,
		'full-moon-over-noahs-ark-an-odyssey-to-mount-ararat-and-beyond_811',
	],
	[
		'See America: A Celebration of Our National Parks & Treasured Sites',
		48.87,
		3,
		'see-america-a-celebration-of-our-national-parks-treasured-sites_732',
	],
	[
		'Vagabonding: An Uncommon Guide to the Art of Long-Term World Travel',
		36.94,
		2,
		'vagabonding-an-uncommon-guide-to-the-art-of-long-term-world-travel_552',
	],
	['Under the Tuscan Sun', 37.33, 3, 'under-the-tuscan-sun_504'],
	['A Summer In Europe', 44.34, 2, 'a-summer-in-europe_458'],
	['The Great Railway Bazaar', 30.54, 1, 'the-great-railway-bazaar_446'],
	['A Year in Provence (Provence #1)', 56.88, 4, 'a-year-in-provence-provence-1_421'],
	[
		'The Road to Little Dribbling: Adventures of an American in Britain (Notes From a Small Island #2)',
		23.21,
		1,
		'the-road-to-little-dribbling-adventures-of-an-american-in-britain-notes-from-a-small-island-2_277',
	],
	['Neither Here nor There: Travels in Europe', 38.95, 3, 'neither-here-nor-there-travels-in-europe_198'],
	['1,000 Places to See Before You Die', 26.08, 5, '1000-places-to-see-before-you-die_1'],
];

/** That list as a page that was opened. */
export const travelBooks: OpenedPage = {
	url: TRAVEL_URL,
	title: 'Travel | Books to Scrape - Sandbox',
	of: 1,
	offers: BOOKS.map(([name, price, rating, slug]) => ({
		...{ name, price, rating, stock: 1, stockText: 'In stock', priceText: `£${price}` },
		...{ link: `https://books.toscrape.com/catalogue/${slug}/index.html`, availableFrom: '' },
	})),
	next: undefined,
};
