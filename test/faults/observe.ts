import { operations, type TestedOperation } from '../contract/operations';
import { operate, RUN_FORMS, runAutomation, type runNode, type Target } from '../engine/run-node';
import { table } from '../support/report';
import { serveFault, type Fault } from './fault-server';
import { faults, fileFaults, serviceWithFile, THREAD, type FaultCase, type FileFault } from './faults';

/** What one fault did to one node. */
export type Observation = Awaited<ReturnType<typeof observe>>;
type Ran = Awaited<ReturnType<typeof runNode>>;

/** What the user sees, with times and the thread ID taken out. */
function shownOf({ error, items }: Ran): string {
	if (!error)
		return (items[0]?.json.warnings as unknown[] | undefined)?.length ? 'The result, with warnings' : 'The result';
	const text = [error.message, error.description].filter(Boolean).join('. ');
	const timeless = text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '[time]');
	const shown = timeless.length > 400 ? `${timeless.slice(0, 20)} … ${timeless.slice(-200)}` : timeless;
	return shown.replace(`. Thread ID: ${THREAD}`, '');
}

/** Sets up what a fault needs, runs a node against it, and tells what was seen on both sides. */
async function observe(fault: FaultCase, given: Fault | 'refused', run: (target: Target) => Promise<Ran>) {
	const other = await serveFault(async (line) => line.end());
	const server = await serveFault(async (line, start) => {
		const leading: typeof line.head = async (status, headers = {}) =>
			await line.head(status, 'location' in headers ? { ...headers, location: `${other.url}/` } : headers);
		if (given !== 'refused') await given({ ...line, head: leading }, start);
	});
	// A port that a server has just left: nothing listens there.
	if (given === 'refused') await server.stop();
	const ran = await run({ baseUrl: server.url, automationUrl: server.url, apiKey: 'some-key' });
	const isClosed = await server.closed();
	const { heads, sent } = server.seen;
	if (given !== 'refused') await server.stop();
	await other.stop();
	const { status = 'no run', thread_id: threadId = null, text } = ran.items[0]?.json ?? ran.error?.context.data ?? {};
	return {
		fault,
		...{ isError: ran.error !== undefined, shown: shownOf(ran), status: String(status), threadId, text },
		/** Requests that reached the server, and the host a redirect leads to. */
		...{ requests: heads.length, elsewhere: other.seen.heads.length, sent, isClosed },
	};
}

/** Runs Run Automation against one fault. */
export async function observeRun(fault: FaultCase, way = RUN_FORMS[0]): Promise<Observation> {
	const form = { query: 'Do it', ...way, simplify: false, options: { waitIfBusy: 0, ...fault.options } };
	return await observe(fault, fault.run!, async (target) => await runAutomation(target, form));
}

/** Runs one operation of Browser Automation against one fault. */
export async function observeOperation(fault: FaultCase, tested: TestedOperation): Promise<Observation> {
	const { resource, operation, required } = tested;
	const form = { resource, operation, ...required };
	return await observe(fault, fault.answer!, async (target) => await operate(target, form));
}

/** What a fault of a file did to a run that links it, and to a replay. */
export type FileObservation = Awaited<ReturnType<typeof observeFile>>;

async function observeFile({ name, file }: FileFault) {
	const storage = await serveFault(file);
	const service = await serveFault(serviceWithFile(`${storage.url}/a.mp4`));
	const target = { baseUrl: service.url, automationUrl: service.url, apiKey: 'some-key' };
	const limits = { idleTimeout: 1, maxResponseSize: 1 };
	const ofRun = { query: 'Do it', simplify: false, options: { ...limits, downloadLinks: true } };
	const run = await runAutomation(target, ofRun);
	const ofReplay = { resource: 'session', operation: 'getReplay', sessionId: 'session', downloadVideo: true };
	const replay = await operate(target, { ...ofReplay, options: { idleTimeout: 1, maxVideoSize: 1 } });
	const isClosed = await storage.closed();
	const requests = storage.seen.heads.length;
	await Promise.all([storage.stop(), service.stop()]);
	const { status, warnings } = run.items[0].json as { status: string; warnings: string[] };
	return {
		...{ name, status, isClosed, requests },
		run: run.items[0].binary ? 'The file' : warnings.join('. '),
		replay: replay.items[0]?.binary ? 'The video' : shownOf(replay),
	};
}

const search = operations.find(({ operation }) => operation === 'search')!;

const observeFault = async (fault: FaultCase) => ({
	runs: fault.run ? [await observeRun(fault)] : [],
	answers: fault.answer ? [await observeOperation(fault, search)] : [],
});

/** The faults of each node as docs/reliability.md shows them. */
export async function observeAll() {
	const light = new Map(faults.filter(({ isHeavy }) => !isHeavy).map((fault) => [fault, observeFault(fault)]));
	await Promise.all(light.values());
	const all: Array<Awaited<ReturnType<typeof observeFault>>> = [];
	for (const fault of faults) all.push(await (light.get(fault) ?? observeFault(fault)));
	const files: FileObservation[] = [];
	for (const fault of fileFaults) files.push(await observeFile(fault));
	return { runs: all.flatMap(({ runs }) => runs), answers: all.flatMap(({ answers }) => answers), files };
}

function kept({ threadId, text }: Observation): string {
	const parts = [
		threadId === THREAD ? 'thread ID' : '',
		String(text).includes('The partial result') ? 'text' : '',
	].filter(Boolean);
	return parts.join(', ') || 'nothing was received';
}

/** The section of docs/reliability.md about faults. */
export function faultTables({ runs, answers, files }: Awaited<ReturnType<typeof observeAll>>): string {
	const socket = ({ requests, isClosed }: Observation) => [requests, isClosed ? 'closed' : 'open'];
	const ofRuns = runs.map((seen) => [seen.fault.name, seen.shown, seen.status, kept(seen), ...socket(seen)]);
	const ofAnswers = answers.map((seen) => [seen.fault.name, seen.shown, ...socket(seen)]);
	const runTable = table(['Problem', 'What the user sees', 'Status', 'Kept', 'Requests', 'Socket'], ofRuns);
	const answerTable = table(['Problem', 'What the user sees', 'Requests', 'Socket'], ofAnswers);
	const ofFiles = files.map(({ name, run, replay, isClosed }) => [name, run, replay, isClosed ? 'closed' : 'open']);
	const fileTable = table(['Problem', 'Linked file of a run', 'Video of a replay', 'Socket'], ofFiles);
	return `### Run Automation\n\n${runTable}\n### Browser Automation\n\n${answerTable}\n### Files\n\n${fileTable}`;
}
