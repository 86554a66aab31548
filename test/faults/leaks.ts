/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- test code, never shipped */
import '../engine/debug-log';
import type { INodeParameters } from 'n8n-workflow';

import { MINIMAL_COOKIE, operations, type TestedOperation } from '../contract/operations';
import { BROWSER_AUTOMATION, RUN_FORMS, runAutomation, runNode, type Target } from '../engine/run-node';
import { events } from '../engine/serve-stream';
import { everythingOf } from '../workflow/browser-automation';
import { serveFault, type Fault, type Line } from './fault-server';
import { faults, THREAD } from './faults';

/**
 * Runs both nodes with canaries for a key, a cookie and the value of a secret, through every operation, status and
 * fault, against a service that repeats what it was sent wherever it can. Prints what was found where it must not be.
 */
const KEY = 'canary-key-"quoted"-0123456789abcdef';
const COOKIE = 'canary-cookie-0123456789abcdef';
const VALUE = 'canary-secret-0123456789abcdef';
const PASSWORD = 'canary-password &+"0123456789abcdef';
const BEARER = 'canary-token-0123456789abcdef';
const CANARIES = ['canary-key', 'canary-cookie', 'canary-secret', 'canary-password', 'canary-token'];

const REFUSALS = [302, 400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 422, 429, 500, 502, 503, 504, 529];
const STATUSES = [200, 201, 204, ...REFUSALS];

/** Bodies that repeat what was sent: in every field a reason may stand in, cut or not, and around JSON. */
const echo = `Refused "Authorization: Bearer ${KEY}" with sid=${COOKIE}`;
const keyEcho = `Refused "Authorization: Bearer ${KEY}"`;
const longEcho = `${'x'.repeat(980)} ${KEY}`;
const bodies = [
	JSON.stringify({ message: echo, detail: echo, error: { code: KEY, message: echo } }),
	JSON.stringify({ detail: [{ loc: ['body', COOKIE], msg: echo, input: { value: COOKIE }, ctx: { key: KEY } }] }),
	JSON.stringify({ detail: longEcho }),
	`<html><head><title>${echo}</title></head><body>${echo}</body></html>`,
	echo,
	longEcho,
];

let echoes = 0;

/** Sends a response and counts it if a canary is in it. */
const reply =
	(status: string, headers: Record<string, string>, body: string): Fault =>
	async (line: Line) => {
		if (CANARIES.some((canary) => body.includes(canary))) echoes++;
		await line.head(status, { 'x-thread-id': THREAD, connection: 'close', ...headers });
		await line.send(body);
		line.end();
	};

const plain = (status: number, body: string) => {
	const length = { 'content-length': String(Buffer.byteLength(body)) };
	return reply(`${status} Status`, { 'content-type': 'application/json', 'x-echo': echo, ...length }, body);
};

const longId = `${'x'.repeat(80)}${KEY}`;
const finish = { type: 'finish' };
const streams = [
	events({ type: 'error', errorText: keyEcho }, { type: 'error', errorText: longEcho }),
	events({ type: 'abort', reason: keyEcho }),
	`data: ${keyEcho}\n\n${keyEcho}\n\ndata: ${'x'.repeat(90)}${KEY}\n\n${events(finish)}`,
	events({ type: keyEcho }, { type: 'text-delta', id: longId, delta: '' }, finish),
].map((body) => reply('200 OK', { 'content-type': 'text/event-stream' }, body));

const found: string[] = [];
let executions = 0;

type Ran = Awaited<ReturnType<typeof runNode>>;

/** Looks for canaries in all that an execution left; `allowed` is returned on purpose. */
function inspect(where: string, { items, errorItems, hints, chunks, error }: Ran, allowed: string[] = []) {
	executions++;
	const places = { items, errorItems, hints, chunks, error };
	for (const [place, value] of Object.entries(places)) {
		const text = everythingOf(value);
		for (const canary of CANARIES) {
			const mayStand = allowed.includes(canary) && place === 'items';
			if (text.includes(canary) && !mayStand) found.push(`${canary} in ${place} of ${where}`);
		}
	}
}

/** The operations that make their errors in ways of their own, and one that stands for all others. */
const OWN_ERRORS = ['start', 'setCookies', 'getReplay', 'search'];

/** The form of an operation. Cookies come with the input: n8n itself writes the form of a node that fails to its log. */
const formOf = ({ resource, operation, required }: TestedOperation): INodeParameters => {
	const given = 'cookiesJson' in required ? { cookiesJson: '={{ $json.cookies }}' } : {};
	return { resource, operation, ...required, ...given };
};
const input = [{ json: { cookies: JSON.stringify([{ ...MINIMAL_COOKIE, value: COOKIE }]) } }];

const SETTINGS = [undefined, { onError: 'continueErrorOutput' as const }];

/** Runs a node against one behaviour of a service; `isSent` tells by the requests whether a canary was sent at all. */
async function against(
	fault: Fault,
	run: (target: Target) => Promise<unknown>,
	isSent = (heads: string[]) => heads.every((head) => head.includes('canary-key')),
) {
	const server = await serveFault(fault);
	const user = { username: 'someone', password: PASSWORD };
	await run({ baseUrl: server.url, automationUrl: server.url, apiKey: ` ${KEY}\n`, user });
	if (!isSent(server.seen.headers)) found.push('a request without the canary');
	await server.stop();
}

async function runEverything(target: Target, where: string, way: INodeParameters, options = {}) {
	for (const [index, settings] of SETTINGS.entries()) {
		const form = { query: 'Do it', ...way, options: { ...options, ifIncomplete: index ? 'partial' : 'error' } };
		const ran = await runAutomation(target, form, { settings, streaming: index === 0 });
		inspect(`Run Automation ${JSON.stringify(way)}, ${where}`, ran);
	}
}

/** Answers a request for a token with a good one, or as given, and every other request by repeating what it was sent. */
const withToken =
	(status: number, tokenAnswer?: string): Fault =>
	async (line, head) => {
		const token = JSON.stringify({ access_token: BEARER, token_type: 'bearer' });
		const refusal = JSON.stringify({ error: 'invalid_grant', message: `Bad token: ${head} ${BEARER}` });
		const respond = head.startsWith('POST /token')
			? plain(tokenAnswer === undefined ? 200 : status, tokenAnswer ?? token)
			: plain(status, refusal);
		await respond(line, head);
	};

/** Runs an operation with each of the settings; tells whether the first of them, without *On Error*, ended in an error. */
async function runOperation(target: Target, form: INodeParameters, where: string, allowed?: string[]) {
	const errors: unknown[] = [];
	for (const node of SETTINGS) {
		const ran = await runNode(BROWSER_AUTOMATION, target, form, { node, input });
		inspect(`${String(form.resource)} ${String(form.operation)}, ${where}`, ran, allowed);
		errors.push(ran.error);
	}
	return errors[0] !== undefined;
}

/** The operations of the main interface with a user name and a password: token refused, token given and then refused. */
async function lookAtPasswords(tested: TestedOperation) {
	const refusal = JSON.stringify({ error: 'invalid_grant', error_description: `No: ${PASSWORD}`, token: BEARER });
	const form = { ...formOf(tested), authentication: 'oAuth2Password' };
	const run = async (target: Target) => {
		const isError = await runOperation(target, form, 'with a password');
		if (!isError) found.push(`no error of ${tested.operation} with a password`);
	};
	const isSent = (heads: string[]) => heads.some((head) => head.startsWith('POST /token'));
	for (const fault of [withToken(400, refusal), withToken(401), withToken(403), withToken(500, `No: ${PASSWORD}`)]) {
		await against(fault, run, isSent);
	}
}

async function lookAtOperation(tested: TestedOperation) {
	const runs = async (target: Target, where: string, allowed?: string[]) =>
		await runOperation(target, formOf(tested), where, allowed);
	// A service can only repeat what it was sent.
	const echoed = bodies.map((body) => ('cookiesJson' in tested.required ? body : body.replaceAll(COOKIE, '')));
	for (const [index, status] of STATUSES.entries()) {
		// A success is returned unchanged: there only the value of the secret may stand.
		const success = status === 204 ? '' : JSON.stringify({ name: 'n', value: VALUE });
		const body = status < 300 ? success : echoed[index % echoed.length];
		await against(plain(status, body), async (target) => await runs(target, `status ${status}`, ['canary-secret']));
	}
	for (const body of echoed) await against(plain(422, body), async (target) => await runs(target, 'an echo'));
	if (!OWN_ERRORS.includes(tested.operation)) return;
	for (const { name: fault, answer, isHeavy } of faults) {
		if (typeof answer !== 'function' || isHeavy || fault.startsWith('Slow')) continue;
		await against(answer, async (target) => await runs(target, fault));
	}
}

async function look() {
	const keyOnly = bodies.map((body) => body.replaceAll(COOKIE, ''));
	await Promise.all(operations.map(lookAtOperation));
	await Promise.all(operations.filter(({ resource }) => resource !== 'automationRun').map(lookAtPasswords));
	for (const way of RUN_FORMS) {
		for (const [index, status] of REFUSALS.entries()) {
			const body = keyOnly[index % keyOnly.length];
			await against(plain(status, body), async (target) => await runEverything(target, `status ${status}`, way));
		}
		for (const [index, stream] of streams.entries()) {
			// Chunks are returned as received, whatever the service repeats in them.
			if (Object.values(way).includes('chunks')) continue;
			await against(stream, async (target) => await runEverything(target, `stream ${index}`, way));
		}
	}
	const limits = { idleTimeout: 0.3, totalTimeout: 0.5, maxResponseSize: 1 };
	await Promise.all(
		faults.map(async ({ name, run, isHeavy }) => {
			if (typeof run !== 'function' || isHeavy) return;
			await against(run, async (target) => await runEverything(target, name, RUN_FORMS[0], limits));
		}),
	);
	console.log(`\nREPORT ${JSON.stringify({ found: [...new Set(found)], executions, echoes })}`);
	process.exit();
}

void look();
