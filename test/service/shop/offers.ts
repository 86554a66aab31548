/** What the shop sells. */
export interface Offer {
	slug: string;
	name: string;
	/** In euros; undefined if the page says "Price on request". */
	price?: number;
	rating: number;
	stock: number;
	/** A day, as `2026-01-31`. */
	availableFrom: string;
	about: string;
}

type Row = [name: string, price: number | undefined, rating: number, stock: number, from: string, about: string];

const ROWS: Row[] = [
	['Desk Lamp "Arc"', 39.9, 4.6, 12, '2025-11-03', 'A lamp with a long arm and a warm light.'],
	['Oak Bookshelf', 149, 4.4, 5, '2025-09-15', 'Five shelves of oiled oak.'],
	['Wool Blanket', 64.5, 4.8, 20, '2025-10-01', 'Two metres of Irish wool.'],
	['Enamel Mug', 8.9, 4.1, 140, '2025-06-20', 'White, with a blue rim.'],
	['Floor Lamp "Reed"', 119, 4.2, 0, '2026-02-01', 'A tall lamp for a corner.'],
	['Cork Coasters, Set of 6', 6.5, 3.9, 88, '2025-05-11', 'Round, and kind to the table.'],
	['Linen Cushion', 24, 4.3, 41, '2025-08-09', 'Forty by forty centimetres.'],
	['Wall Clock', 32.75, 4.0, 17, '2025-07-30', 'Silent, and easy to read.'],
	['Dining Table for 8', 1299, 4.7, 2, '2026-01-12', 'Solid ash, made to order.'],
	['Beeswax Candle', 4.2, 4.5, 210, '2025-04-02', 'Burns for nine hours.'],
	['Reading Chair', 389, 4.9, 3, '2025-12-05', 'Deep, with a high back.'],
	['Jute Rug', 89.95, 3.8, 9, '2025-09-28', 'Round, one and a half metres.'],
	['Salt & Pepper Mills', 27.4, 4.4, 33, '2025-06-01', 'Beech, with steel grinders.'],
	['Plant Pot, Small', 7.25, 4.2, 64, '2025-05-19', 'Clay, with a saucer.'],
	['Plant Pot, Large', 18.6, 4.1, 22, '2025-05-19', 'Clay, with a saucer.'],
	['Coat Stand', 74, 3.7, 0, '2026-03-01', 'Eight hooks and a round foot.'],
	['Bamboo Tray', 15.3, 4.0, 48, '2025-07-07', 'With handles, for two cups.'],
	['Glass Carafe', 21.8, 4.6, 26, '2025-08-22', 'One litre, with a cork ball.'],
	['Restored Piano', undefined, 5.0, 1, '2026-01-20', 'From 1924. We tell you the price when you have played it.'],
	['Picture Frame 30 × 40', 12.9, 4.3, 75, '2025-06-14', 'Black, with real glass.'],
	['Standing Desk', 449.5, 4.5, 6, '2025-10-18', 'Goes up and down without a sound.'],
	['Umbrella Holder', 34.2, 3.6, 14, '2025-09-02', 'Folded steel.'],
	['Tea Towels, Pair', 9.8, 4.7, 96, '2025-05-05', 'Half linen, woven in Flanders.'],
	['Side Table', 58, 4.1, 11, '2025-11-21', 'Fits beside every chair.'],
];

const slugOf = (name: string) =>
	name
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, '-')
		.replace(/-$/, '');

/** All offers, in the order of the pages. */
export const offers: Offer[] = ROWS.map(([name, price, rating, stock, availableFrom, about]) => {
	return { slug: slugOf(name), name, price, rating, stock, availableFrom, about };
});
