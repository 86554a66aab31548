import { operations, type TestedOperation } from '../contract/operations';
import { BROWSER_AUTOMATION, RUN_FORMS, runAutomation, runNode, type Target } from '../engine/run-node';
import { everythingOf } from '../workflow/browser-automation';
import { table } from '../support/report';
import { faults, THREAD, type FaultCase } from './faults';
import { serveFault, type Fault } from './fault-server';

const KEY = 'key-that-nobody-may-see';

/** What one fault did to one node. */
export interface Observation {
	fault: FaultCase;
	/** What the user sees, with times taken out. */
	shown: string;
	isError: boolean;
	status?: string;
	threadId: unknown;
	text: unknown;
	requests: number;
	/** Requests that reached the host a redirect leads to. */
	elsewhere: number;
	sent: number;
	closed: boolean;
	keyIsShown: boolean;
}

const withoutTimes = (text: string) => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '[time]');

type Ran = Awaited<ReturnType<typeof runNode>>;

/** Sets up what a fault needs, runs a node against it, and tells what was seen on both sides. */
async function observe(fault: FaultCase, given: Fault | 'refused', run: (target: Target) => Promise<Ran>) {
	const other = await serveFault(async (line) => line.end());
	const server = await serveFault(async (line, head) => {
		const leading: typeof line.head = async (status, headers) => await line.head(status, leadTo(headers, other.url));
		if (given !== 'refused') await given({ ...line, head: leading }, head);
	});
	// A port that a server has just left: nothing listens there.
	if (given === 'refused') await server.stop();
	const ran = await run({ baseUrl: server.url, automationUrl: server.url, apiKey: KEY });
	const closed = await server.closed();
	const { requests, sent } = server.seen;
	if (given !== 'refused') await server.stop();
	await other.stop();
	return { fault, ran, closed, requests, sent, elsewhere: other.seen.requests };
}

const leadTo = (headers: Record<string, string> | undefined, url: string) =>
	headers?.location ? { ...headers, location: `${url}/` } : headers;

const abridged = (text: string) => (text.length > 400 ? `${text.slice(0, 20)} … ${text.slice(-200)}` : text);

const shownOf = ({ error }: Ran, result: string) =>
	error ? abridged(withoutTimes([error.message, error.description].filter(Boolean).join('. '))) : result;

/** Runs Run Automation against one fault. */
export async function observeRun(fault: FaultCase, way = RUN_FORMS[0]): Promise<Observation> {
	const form = { query: 'Do it', ...way, simplify: false, options: fault.options ?? {} };
	const { ran, ...seen } = await observe(fault, fault.run!, async (target) => await runAutomation(target, form));
	const json = ran.items[0]?.json ?? ran.error?.context.data ?? {};
	const warnings = (json.warnings as string[] | undefined) ?? [];
	const result = warnings.length ? 'The result, with warnings' : 'The result';
	return {
		...seen,
		shown: shownOf(ran, result).replace(`. Thread ID: ${THREAD}`, ''),
		isError: ran.error !== undefined,
		status: (json.status as string | undefined) ?? 'no run',
		threadId: json.thread_id ?? null,
		text: json.text,
		keyIsShown: everythingOf(ran.error).includes(KEY),
	};
}

/** Runs one operation of Browser Automation against one fault. */
export async function observeOperation(fault: FaultCase, tested: TestedOperation): Promise<Observation> {
	const { resource, operation, required } = tested;
	const form = { resource, operation, ...required };
	const run = async (target: Target) => await runNode(BROWSER_AUTOMATION, target, form);
	const { ran, ...seen } = await observe(fault, fault.answer!, run);
	return {
		...seen,
		shown: shownOf(ran, 'The result'),
		isError: ran.error !== undefined,
		threadId: ran.items[0]?.json.thread_id,
		text: undefined,
		keyIsShown: everythingOf(ran.error).includes(KEY),
	};
}

const shown = operations.find(({ operation }) => operation === 'search')!;

/** The faults of each node as docs/reliability.md shows them. */
export async function observeAll(): Promise<{ runs: Observation[]; answers: Observation[] }> {
	const seen = new Map<FaultCase, { runs: Observation[]; answers: Observation[] }>();
	const observeFault = async (fault: FaultCase) => {
		const runs = fault.run ? [await observeRun(fault)] : [];
		seen.set(fault, { runs, answers: fault.answer ? [await observeOperation(fault, shown)] : [] });
	};
	await Promise.all(faults.filter(({ isHeavy }) => !isHeavy).map(observeFault));
	for (const fault of faults.filter(({ isHeavy }) => isHeavy)) await observeFault(fault);
	const all = faults.map((fault) => seen.get(fault)!);
	return { runs: all.flatMap(({ runs }) => runs), answers: all.flatMap(({ answers }) => answers) };
}

const kept = ({ threadId, text }: Observation) =>
	[
		threadId === THREAD ? 'thread ID' : '',
		typeof text === 'string' && text.includes('The partial result') ? 'text' : '',
	]
		.filter(Boolean)
		.join(', ') || 'nothing was received';

const closed = (observation: Observation) => (observation.closed ? 'closed' : 'open');

/** The section of docs/reliability.md about faults. */
export function faultTables({ runs, answers }: Awaited<ReturnType<typeof observeAll>>): string {
	return [
		'### Run Automation\n\n',
		table(
			['Problem', 'What the user sees', 'Status', 'Kept', 'Requests', 'Socket'],
			runs.map((seen) => [seen.fault.name, seen.shown, seen.status ?? '', kept(seen), seen.requests, closed(seen)]),
		),
		'\n### Browser Automation\n\n',
		table(
			['Problem', 'What the user sees', 'Requests', 'Socket'],
			answers.map((seen) => [seen.fault.name, seen.shown, seen.requests, closed(seen)]),
		),
	].join('');
}
