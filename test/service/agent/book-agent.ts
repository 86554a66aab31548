import { scenarioNamedBy, streamed, type Run, type Scenario } from '../scenarios';
import type { ServiceState } from '../state';
import { events } from '../streams';
import { asksWhetherDone, reasonFor, replyForm, wordsOf, type Column } from './asked';
import { BOOKS, findBooks, isAboutBooks, ORDERED, PAGE, type Book } from './books';
import { PIXEL_PNG } from './canned';
import { agentLoop, call, openPage, step, words } from './loop';

const DELAY_MS = 5;

/** Whether the last task of a thread is about books, or continues one that is. A task that names a scenario is not. */
export const isForBookAgent = (queries: string[]) =>
	!scenarioNamedBy(queries.at(-1)!) && queries.some((query) => !scenarioNamedBy(query) && isAboutBooks(query));

/** What is known of a column by its name, in the order in which the names are tried. */
const FACTS: Array<[name: RegExp, read: (book: Book, type: string) => unknown]> = [
	[/name|title|^(product|book)$/, ({ name }) => name],
	[/price|cost/, ({ price }, type) => (type === 'string' ? `£${price}` : price)],
	[/link|url|href/, ({ link }) => link],
	[/rating|stars/, ({ rating }) => rating],
	[/stock|available/, (_book, type) => (type === 'boolean' ? true : 'In stock')],
	[/currency/, () => 'GBP'],
];

function valueOf(book: Book, { name, type }: Column): unknown {
	const plain = name.toLowerCase().replace(/[^a-z]/g, '');
	const value = FACTS.find(([pattern]) => pattern.test(plain))?.[1](book, type) ?? null;
	return type === 'string' && value !== null ? String(value) : value;
}

const inFence = (json: object) => `\`\`\`json\n${JSON.stringify(json)}\n\`\`\``;

/** What the agent says of a task for which it would have to sign in. */
function replyWithoutSignIn(query: string, columns: Column[]): string {
	const why = 'The shop asks for a sign-in';
	const said = `${why}, so I could not read the orders.`;
	const reason = reasonFor(query, 'sign_in', why);
	const asked = asksWhetherDone(query);
	if (asked === 'line') return `${said}\n\nTASK NOT DONE: ${reason}`;
	const json = { ...(columns.length && { rows: [] }), ...(asked && { not_done: reason }) };
	return Object.keys(json).length ? `${said}\n\n${inFence(json)}` : said;
}

/** Whether a task names a profile that has cookies. */
const isSignedIn = (query: string, { profiles }: ServiceState) =>
	[...profiles].some(([id, cookies]) => cookies.length > 0 && wordsOf(query).includes(id));

/** What the agent says at the end: rows in the columns that the task asks for, or prose with a Markdown list. */
function replyTo({ queries, state }: Run): string {
	const query = queries.at(-1)!;
	const { columns, one } = replyForm(query);
	const isAboutOrders = /\bmy orders\b/i.test(wordsOf(query));
	if (isAboutOrders && !isSignedIn(query, state)) return replyWithoutSignIn(query, columns);
	const found = (isAboutOrders ? ORDERED : findBooks(queries)).slice(0, one ? 1 : undefined);
	const fit = found.length === 1 ? '1 book fits' : `${found.length || 'No'} books fit`;
	const said = `I read ${BOOKS.length} books on 1 page of the shop. ${fit} the task`;
	if (columns.length === 0) {
		return `${said}:\n\n${found.map(({ name, link, price }) => `- [${name}](${link}): £${price}\n`).join('')}`;
	}
	const rows = found.map((book) => Object.fromEntries(columns.map((column) => [column.name, valueOf(book, column)])));
	return `${said}.\n\n${inFence({ rows })}`;
}

/** Whether a task asks for a file. */
const asksForPicture = (queries: string[]) => queries.some((query) => /\b(picture|screenshot)\b/i.test(wordsOf(query)));

/** The agent for tasks about books: opens their page, and replies with a source, and with a picture if the task asks for it. */
export const bookAgent: Scenario = streamed('reads a list of books, and returns those of the task', (run, wire) => {
	const { queries } = run;
	const opening = call('call-1', 'openPage', { url: PAGE.url });
	const steps = [
		step([...words('reasoning', 'plan', 'I open the shop and read its books.'), ...opening], 'tool-calls'),
		step(
			[
				{ type: 'source', sourceType: 'url', id: 'src-1', ...PAGE },
				...(asksForPicture(queries) ? [{ type: 'file' as const, mediaType: 'image/png', data: PIXEL_PNG }] : []),
				...words('text', 'reply', replyTo(run)),
			],
			'stop',
		),
	];
	const makeTools = (status: (message: string) => void) => ({
		openPage: openPage(() => status(`Opening ${PAGE.url}`), { ...PAGE, books: BOOKS.length }),
	});
	return events(agentLoop(queries.at(-1)!, wire.signal, DELAY_MS, steps, makeTools));
});
