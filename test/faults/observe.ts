import type { TestedOperation } from '../contract/operations';
import { operate, RUN_FORMS, runAutomation, type runNode, type Target } from '../engine/run-node';
import { serveFault, type Fault } from './fault-server';
import { IDLE, serviceWithFile, THREAD, type FaultCase, type FileFault } from './faults';

/** What one fault did to one node. */
export type Observation = Awaited<ReturnType<typeof observe>>;
type Ran = Awaited<ReturnType<typeof runNode>>;

/** What the user sees, with times and the thread ID taken out. */
function shownOf({ error, items }: Ran): string {
	const warnings = items[0]?.json.warnings as unknown[] | undefined;
	if (!error) return warnings?.length ? 'The result, with warnings' : 'The result';
	const text = [error.message, error.description].filter(Boolean).join('. ');
	const timeless = text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '[time]');
	const shown = timeless.length > 400 ? `${timeless.slice(0, 20)} … ${timeless.slice(-200)}` : timeless;
	return shown.replace(`. Thread ID: ${THREAD}`, '').replace(/127\.0\.0\.1:\d+/, '[host]');
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
	const stop = async () => void (await Promise.all([given !== 'refused' && server.stop(), other.stop()]));
	const target = { baseUrl: server.url, automationUrl: server.url, apiKey: 'some-key' };
	const seen = run(target).then(async (ran) => ({ ran, isClosed: await server.closed() }));
	const { ran, isClosed } = await seen.finally(stop);
	const { heads, sent } = server.seen;
	const { status = 'no run', thread_id: threadId = null, text } = ran.items[0]?.json ?? ran.error?.context.data ?? {};
	return {
		fault,
		...{ isError: ran.error !== undefined, shown: shownOf(ran), status: String(status), threadId, text },
		/** Requests that reached the server, and the host a redirect leads to. */
		...{ requests: heads.length, elsewhere: other.seen.heads.length, sent, isClosed },
	};
}

export async function observeRun(fault: FaultCase, way = RUN_FORMS[0]): Promise<Observation> {
	const form = { query: 'Do it', ...way, options: { simplify: false, waitIfBusy: 0, ...fault.options } };
	return await observe(fault, fault.run!, async (target) => await runAutomation(target, form));
}

export async function observeOperation(fault: FaultCase, tested: TestedOperation): Promise<Observation> {
	const { resource, operation, required } = tested;
	const form = { resource, operation, ...required };
	return await observe(fault, fault.answer!, async (target) => await operate(target, form));
}

/** What a fault of a file did to a run that links it, and to a replay. */
export async function observeFile(fault: FileFault) {
	const storage = await serveFault(fault.file);
	const service = await serveFault(serviceWithFile(`${storage.url}/a.mp4`));
	const target = { baseUrl: service.url, automationUrl: service.url, apiKey: 'some-key' };
	// Downloads from this machine are allowed only from the origins of the credential.
	const ofRun = { query: 'Do it', options: { simplify: false, idleTimeout: IDLE, downloadLinks: true } };
	const ofReplay = { resource: 'session', operation: 'getReplay', sessionId: 'session', downloadVideo: true };
	try {
		const run = await runAutomation({ ...target, baseUrl: storage.url }, ofRun);
		const options = { idleTimeout: IDLE, maxVideoSize: 1 };
		const replay = await operate({ ...target, automationUrl: storage.url }, { ...ofReplay, options });
		const { status, warnings } = run.items[0].json as { status: string; warnings: string[] };
		return {
			...{ status, isClosed: await storage.closed(), requests: storage.seen.heads.length },
			run: run.items[0].binary ? 'The file' : warnings.join('. '),
			replay: replay.items[0]?.binary ? 'The video' : shownOf(replay),
		};
	} finally {
		await Promise.all([storage.stop(), service.stop()]);
	}
}
