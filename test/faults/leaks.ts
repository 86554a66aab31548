/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- test code, never shipped */
import '../engine/env';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { MINIMAL_COOKIE, operations, type TestedOperation } from '../contract/operations';
import { BROWSER_AUTOMATION, everythingOf, RUN_AUTOMATION, RUN_FORMS, runNode } from '../engine/run-node';
import { events } from '../engine/serve-stream';
import { within } from '../support/within';
import { canaryStreams } from './canary-streams';
import { serveFault, type Fault } from './fault-server';
import { faults, THREAD } from './faults';

/**
 * Runs both nodes with canaries for a key, a cookie and the value of a secret, through every operation, status and
 * fault, against a service that repeats what it was sent wherever it can. Prints what was found where it must not be.
 */
const KEY = 'canary-key-\\escaped\\-0123456789abcdef';
const COOKIE = 'canary-cookie-0123456789abcdef';
const VALUE = 'canary-secret-0123456789abcdef';
const PASSWORD = 'canary-password &+"0123456789abcdef';
const BEARER = 'canary-token-0123456789abcdef';
const CANARIES = ['canary-key', 'canary-cookie', 'canary-secret', 'canary-password', 'canary-token'];

const REFUSALS = [302, 400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 422, 429, 500, 502, 503, 504, 529];

/** Bodies that repeat what was sent: in every field a reason may stand in, cut or not, and around JSON. */
const echo = `Refused "Authorization: Bearer ${KEY}" with sid=${COOKIE}`;
const keyEcho = `Refused "Authorization: Bearer ${KEY}"`;
const longEcho = `${'x'.repeat(980)} ${KEY}`;
const bodies = [
	JSON.stringify({ message: echo, detail: echo, error: { code: KEY, message: echo } }),
	JSON.stringify({ detail: [{ loc: ['body', COOKIE], msg: echo, input: { value: COOKIE }, ctx: { key: KEY } }] }),
	...[JSON.stringify({ detail: longEcho }), `<html><head><title>${echo}</title></head><body>${echo}</body></html>`],
	...[echo, longEcho],
];
const withoutCookie = bodies.map((body) => body.replaceAll(COOKIE, ''));

const found: string[] = [];
let [executions, echoes] = [0, 0];

/** No execution takes longer, even on a busy machine. */
const LIMIT_S = 100;

/** Sends a response and counts it if a canary is in it. */
const reply =
	(status: string, headers: Record<string, string>, body: string): Fault =>
	async (line) => {
		if (CANARIES.some((canary) => body.includes(canary))) echoes++;
		await line.head(status, { 'x-thread-id': THREAD, connection: 'close', ...headers });
		await line.send(body);
		line.end();
	};

const plain = (status: number, body: string) => {
	const own = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
	return reply(`${status} Status`, { 'x-echo': echo, 'retry-after': '300', ...own }, body);
};

const asStream = (body: string) => reply('200 OK', { 'content-type': 'text/event-stream' }, body);
const longId = `${'x'.repeat(80)}${KEY}`;
const streams = [
	events({ type: 'error', errorText: keyEcho }, { type: 'error', errorText: longEcho }),
	events({ type: 'abort', reason: keyEcho }),
	`data: ${keyEcho}\n\n${keyEcho}\n\ndata: ${'x'.repeat(90)}${KEY}\n\n${events({ type: 'finish' })}`,
	events({ type: keyEcho }, { type: 'text-delta', id: longId, delta: '' }, { type: 'finish' }),
].map(asStream);

/** Responds to a request for a token with a good one, or as given, and to every other by repeating what it was sent. */
const withToken =
	(status: number, tokenResponse?: string): Fault =>
	async (line, head) => {
		const token = JSON.stringify({ access_token: BEARER, token_type: 'bearer' });
		const refusal = JSON.stringify({ error: 'invalid_grant', message: `Bad token: ${head} ${BEARER}` });
		const isToken = head.startsWith('POST /token');
		const body = isToken ? (tokenResponse ?? token) : refusal;
		await plain(isToken && !tokenResponse ? 200 : status, body)(line, head);
	};
const refusedToken = JSON.stringify({ error: 'invalid_grant', error_description: `No: ${PASSWORD}`, token: BEARER });
const tokens = [withToken(400, refusedToken), withToken(401), withToken(403), withToken(500, `No: ${PASSWORD}`)];

// The cookies come with the input: n8n itself writes the form of a node that fails to its log.
const cookies = [{ json: { cookies: JSON.stringify([{ ...MINIMAL_COOKIE, value: COOKIE }]) } }];
const user = { username: 'someone', password: PASSWORD };

/** Where a person, a chat or a later node sees what happened. */
const SETTINGS = [undefined, { onError: 'continueErrorOutput' as const }];
const WITHOUT_CHAT = SETTINGS.map((node) => ({ node, streaming: false }));
const AUDIENCES = [...WITHOUT_CHAT, ...SETTINGS.map((node) => ({ node, streaming: true }))];

/** An item at the error output without the field of its input, which n8n merges in. */
const withoutInput = (item: INodeExecutionData) => ({ ...item, json: { ...item.json, cookies: undefined } });

/** Where the sentences of a node are. */
const SENTENCES = ['hints', 'said'] as const;

const PLACES = ['items', 'errorItems', 'hints', 'chunks', 'error'] as const;

interface Looking {
	/** Who looks, if not everybody. */
	audiences?: typeof AUDIENCES;
	/** The canary that is returned on purpose. */
	allowed?: string;
	/** Where to look; `said` is the text of an error without its data. */
	places?: ReadonlyArray<(typeof PLACES)[number] | 'said'>;
}

/**
 * Runs a node against one behaviour of a service, without and with *On Error*, in a chat and without one, and looks for
 * canaries in all that it left.
 */
async function meet(what: string, fault: Fault, form: INodeParameters, looking: Looking = {}) {
	const { allowed, places = PLACES, audiences = form.resource ? WITHOUT_CHAT : AUDIENCES } = looking;
	const where = `${String(form.resource ?? 'run')} ${String(form.operation)}, ${what}`;
	const server = await serveFault(fault);
	const target = { baseUrl: server.url, automationUrl: server.url, apiKey: ` ${KEY}\n`, user };
	const meetAudience = async ({ node, streaming }: (typeof AUDIENCES)[number]) => {
		const [type, input] = form.resource ? [BROWSER_AUTOMATION, cookies] : [RUN_AUTOMATION];
		const options = { ...(form.options as object), waitIfBusy: 0, ifIncomplete: node ? 'partial' : 'error' };
		const running = runNode(type, target, { ...form, options }, { node, input, streaming });
		const ran = await within(LIMIT_S, where, running).catch((error: Error) => void found.push(error.message));
		if (!ran) return;
		executions++;
		const said = [ran.error?.message, ran.error?.description, ...ran.errorItems.map(({ json }) => json.error)];
		const left = { ...ran, errorItems: ran.errorItems.map(withoutInput), said };
		for (const place of places) {
			const text = everythingOf(left[place]);
			const leaks = CANARIES.filter((canary) => text.includes(canary) && !(canary === allowed && place === 'items'));
			found.push(...leaks.map((canary) => `${canary} in ${place} of ${where}`));
		}
		if (form.authentication && !node && !ran.error) found.push(`no error of ${where}`);
	};
	await Promise.all(audiences.map(meetAudience));
	const { heads } = server.seen;
	const isSent = form.authentication
		? heads.some((head) => head.startsWith('POST /token'))
		: heads.every((head) => head.includes('canary-key'));
	if (!isSent) found.push(`no canary was sent by ${where}`);
	await server.stop();
}

const ROWS: INodeParameters = { operation: 'rows', columns: { column: [{ name: 'name', type: 'number' }] } };

/** The operations that make their errors in ways of their own, and one that stands for all others. */
const OWN_ERRORS = ['start', 'setCookies', 'getReplay', 'search'];

async function lookAtOperation({ resource, operation, required }: TestedOperation) {
	const sendsCookie = 'cookiesJson' in required;
	const form = { resource, operation, ...required, ...(sendsCookie ? { cookiesJson: '={{ $json.cookies }}' } : {}) };
	// A success is returned unchanged: there only the value of the secret may stand.
	for (const status of [200, 201, 204]) {
		const body = status === 204 ? '' : JSON.stringify({ name: 'n', value: VALUE });
		await meet(`status ${status}`, plain(status, body), form, { allowed: 'canary-secret' });
	}
	// A service can only repeat what it was sent.
	const echoed = sendsCookie ? bodies : withoutCookie;
	const hasOwnErrors = OWN_ERRORS.includes(operation);
	for (const [index, status] of [...(hasOwnErrors ? REFUSALS : []), ...echoed.map(() => 422)].entries())
		await meet(`status ${status}`, plain(status, echoed[index % echoed.length]), form);
	for (const { name, answer } of hasOwnErrors ? faults : [])
		if (typeof answer === 'function' && !/^Huge body/.test(name)) await meet(name, answer, form);
	for (const [index, fault] of resource === 'automationRun' ? [] : tokens.entries())
		await meet(`token ${index}`, fault, { ...form, authentication: 'oAuth2Password' });
}

async function look() {
	await Promise.all(operations.map(lookAtOperation));
	// A start is rejected in one way for all streams, and in one for runs in the background.
	for (const way of [ROWS, { operation: 'background' }])
		for (const [index, status] of REFUSALS.entries())
			await meet(`status ${status}`, plain(status, withoutCookie[index % bodies.length]), { query: 'Do it', ...way });
	for (const way of [...RUN_FORMS.filter(({ operation }) => operation !== 'background'), ROWS]) {
		const form = { query: 'Do it', ...way };
		// A chat shows the same of a run for all forms but that of rows, in which it hides their JSON.
		const audiences = ['result', 'rows'].includes(String(way.operation)) ? AUDIENCES : WITHOUT_CHAT;
		// The output is what was received; no sentence of the node may quote it unmasked. Types alternate between *On Error* and none,
		// for which a sentence is made in the same way.
		for (const [index, [type, body]] of canaryStreams(KEY).entries()) {
			const looking = { audiences: audiences.filter((_, place) => place % 2 === index % 2), places: SENTENCES };
			await meet(`a chunk of type ${type}`, asStream(body), form, looking);
		}
		// Chunks are returned as received, whatever the service repeats in them.
		if (way.output === 'chunks') continue;
		for (const [index, stream] of streams.entries()) await meet(`stream ${index}`, stream, form);
	}
	// One by one: in some, time passes at once for all.
	for (const { name, run, options, mostSent } of faults)
		if (typeof run === 'function' && mostSent === undefined)
			await meet(name, run, { ...RUN_FORMS[0], query: 'Do it', options });
	console.log(`\nREPORT ${JSON.stringify({ found: [...new Set(found)], executions, echoes })}`);
	process.exit();
}

void look();
