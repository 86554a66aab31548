import { measureOnEngine } from '../lib/engine.mjs';
import { count, duration, median, times } from '../lib/figures.mjs';
import { table } from '../lib/report.mjs';

const CONTENDERS = new URL('./contenders.mjs', import.meta.url);
const ITEMS = 1000;
const ROUNDS = 5;

/** What is shown: a contender, and those that it is divided by. */
const ROWS = [
	['A declarative node of one operation', 'one operation', undefined, 'http search'],
	['**Browser Automation**, Web: Search', 'declarative', 'one operation', 'http search'],
	['HTTP Request, the same request', 'http search', undefined, undefined],
	['One operation, fixed text', 'one operation, fixed', undefined, undefined],
	['**Browser Automation**, fixed text', 'declarative, fixed', 'one operation, fixed', undefined],
	['**Run Automation**, Start in Background', 'background', undefined, 'http start'],
	['HTTP Request, the same request', 'http start', undefined, undefined],
];

export const title = 'Per item';

export async function run() {
	const results = await measureOnEngine(CONTENDERS, { items: ITEMS, rounds: ROUNDS });
	const perItem = (name, kind) => duration(median(results[name].rounds.map((result) => result[kind])) / ITEMS);
	// Neighbours in time are divided, so that a busy moment meets both.
	const ratio = (name, other, kind) =>
		other ? times(median(results[name].rounds.map((result, i) => result[kind] / results[other].rounds[i][kind]))) : '';
	const rows = ROWS.map(([label, name, oneOperation, httpRequest]) => [
		label,
		results[name].expressions.toFixed(0),
		perItem(name, 'wall'),
		perItem(name, 'cpu'),
		ratio(name, oneOperation, 'wall'),
		ratio(name, oneOperation, 'cpu'),
		ratio(name, httpRequest, 'wall'),
		ratio(name, httpRequest, 'cpu'),
	]);
	const [vs1, vsHttp] = ['÷ one operation', '÷ HTTP Request'];
	const units = (name) => [`${name}, time`, `${name}, processor`];
	return [
		`${count(ITEMS)} items, all requests at once, on one engine of n8n (that of \`npm run demo\`), one credential and one \
service on this machine. The task is an expression, where it is not a fixed text. Medians of ${ROUNDS} rounds in which all \
take turns.`,
		table(['Node', 'Expressions', 'Time', 'Processor', ...units(vs1), ...units(vsHttp)], rows),
		`Expressions are the evaluations that n8n makes for one item. It evaluates what stands in a declarative node several \
times, in a node written in code once: that is most of what sets the two kinds apart, whichever node it is.`,
	];
}
