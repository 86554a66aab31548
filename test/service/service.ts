/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendResult } from './agent/callback';
import { isForShopAgent, shopAgent } from './agent/shop-agent';
import { handlers, type Reply } from './endpoints';
import { FILES_PREFIX, serveFile } from './files';
import { matchOperation, validateRequest, validateResponse, type Operation, type ValidationError } from './openapi';
import { scenarioNamedBy, scenarios } from './scenarios';
import { serveShop, SHOP_PREFIX } from './shop/pages';
import { seed } from './state';
import { Tokens, type User } from './tokens';
import { Wire } from './wire';

export { session } from './state';

type Headers = NodeJS.Dict<string | string[]>;

/** A request as received: `path` is undecoded, `body` parsed JSON or raw text, `status` 0 until answered. */
export interface RecordedRequest {
	method: string;
	path: string;
	query: Record<string, string>;
	headers: Headers;
	body: unknown;
	readonly status: number;
}

/** `aborted`: the client closed the socket before the service had sent all it meant to. */
export type Outcome = 'finished' | 'aborted';

/** A start that was accepted, whatever its scenario answered. */
export interface RecordedStart {
	threadId: string;
	body: Record<string, unknown>;
	headers: Headers;
	detached: boolean;
	startedAt: number;
	closed: Promise<Outcome>;
	closedAt?: number;
	outcome?: Outcome;
}

const MAIN_PREFIX = '/rest';
const AUTOMATION_PREFIX = '/automation';
const TOKEN_PATH = `${MAIN_PREFIX}/token`;
const START = 'start_automation_run';

interface Received {
	request: IncomingMessage;
	response: ServerResponse;
	record: RecordedRequest;
	text: string;
}

/** A running service. */
export class Service {
	/** Where the main interface is. */
	baseUrl = '';
	/** Where runs are started. */
	automationUrl = '';
	/** Where the shop is that the agent knows. */
	shopUrl = '';
	readonly requests: RecordedRequest[] = [];
	readonly starts: RecordedStart[] = [];
	/** The pages of the shop that were opened; they are not among the requests. */
	readonly visits: string[] = [];
	/** Responses of the service itself that do not match openapi.json; those that a scenario is about are none. */
	readonly violations: string[] = [];
	readonly state = seed();
	/** The tokens that were issued, and how long they live. */
	readonly tokens: Tokens;
	/** How many requests were answered with 401. */
	unauthorized = 0;

	private readonly events = new EventEmitter().setMaxListeners(0);
	private isStopped = false;
	private readonly runs = new Map<ServerResponse, Wire>();
	private readonly server = createServer((request, response) => {
		this.receive(request, response).catch((error: Error) => {
			this.violations.push(`the service itself failed: ${error.stack}`);
			response.destroy();
		});
	});

	/** @param user who gets tokens of the main interface */
	constructor(
		readonly apiKey: string,
		readonly user: User,
	) {
		this.tokens = new Tokens(user);
	}

	private get origin() {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	async listen(port: number): Promise<void> {
		await new Promise<void>((resolve, reject) => {
			this.server.once('error', reject);
			this.server.listen(port, '127.0.0.1', resolve);
		});
		this.baseUrl = `${this.origin}${MAIN_PREFIX}`;
		this.automationUrl = `${this.origin}${AUTOMATION_PREFIX}`;
		this.shopUrl = `${this.origin}${SHOP_PREFIX}`;
	}

	/** Resolves with the n-th start (1 is the first), now or when it happens. */
	async waitForStart(n = 1): Promise<RecordedStart> {
		while (this.starts.length < n) {
			if (this.isStopped) throw new Error('The service was stopped');
			await once(this.events, 'change');
		}
		return this.starts[n - 1];
	}

	/** Forgets all records, seeds the state anew and closes the connections of runs still going on. */
	reset() {
		this.closeRuns();
		for (const list of [this.requests, this.starts, this.visits, this.violations]) list.length = 0;
		this.unauthorized = 0;
		Object.assign(this.state, seed());
		this.tokens.reset();
	}

	/** Closes all sockets and timers at once. */
	async stop() {
		this.closeRuns();
		this.isStopped = true;
		this.events.emit('change');
		const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
		this.server.closeAllConnections();
		await closed;
	}

	private closeRuns() {
		for (const [response, wire] of this.runs) {
			wire.complete();
			response.destroy();
		}
	}

	private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const url = new URL(request.url ?? '', 'http://service');
		if (url.pathname.startsWith(SHOP_PREFIX)) {
			this.visits.push(url.pathname + url.search);
			return serveShop(request, response);
		}
		const record: RecordedRequest = {
			method: request.method ?? '',
			path: url.pathname,
			query: Object.fromEntries(url.searchParams),
			headers: request.headers,
			body: undefined,
			get status() {
				return response.headersSent ? response.statusCode : 0;
			},
		};
		this.requests.push(record);
		const pieces: Buffer[] = [];
		try {
			for await (const piece of request) pieces.push(piece as Buffer);
		} catch {
			return;
		}
		const text = Buffer.concat(pieces).toString('utf8');
		record.body = parsed(text) ?? (text === '' ? undefined : text);
		this.route({ request, response, record, text });
	}

	private route(received: Received) {
		const { request, response, record } = received;
		if (record.path.startsWith(FILES_PREFIX)) {
			serveFile(request, response, this.state);
			return;
		}
		if (record.path === TOKEN_PATH) {
			const type = request.headers['content-type'];
			const { status, headers, body } = this.tokens.answer(record.method, type, received.text);
			response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
			return;
		}
		const match = matchOperation(record.method, record.path);
		if (!('operation' in match)) {
			const detail = match.status === 404 ? 'Not Found' : 'Method Not Allowed';
			return this.reply(received, { status: match.status, body: { detail } });
		}
		const { operation, params } = match;
		const detail = this.refuseBearer(record.headers.authorization, operation);
		if (detail) {
			this.unauthorized++;
			return this.reply(received, { status: 401, body: { detail } }, operation);
		}
		if (operation.id === START) return this.start(received, operation);
		const query: Record<string, unknown> = { ...record.query };
		const body = received.text === '' ? undefined : parsed(received.text);
		const errors = unreadable(received) ?? validateRequest(operation, { params, query, headers: record.headers, body });
		const reply: Reply =
			errors.length > 0
				? { status: 422, body: { detail: errors } }
				: handlers[operation.id]({
						params,
						query,
						body: (body ?? {}) as Record<string, unknown>,
						origin: this.origin,
						state: this.state,
					});
		this.reply(received, reply, operation);
	}

	/** The key is good for both interfaces, a token for the main one only. */
	private refuseBearer(authorization: unknown, { id }: Operation): string | undefined {
		const bearer = /^Bearer (.+)$/.exec(String(authorization ?? ''))?.[1] ?? '';
		if (bearer === this.apiKey) return undefined;
		return id === START ? 'Invalid or missing API key' : this.tokens.use(bearer);
	}

	/** Answers with JSON; an answer to an operation of the document is checked against it. */
	private reply({ response }: Received, { status, body }: Reply, operation?: Operation) {
		if (operation) this.violations.push(...validateResponse(operation, status, {}, body));
		if (body === undefined) response.writeHead(status).end();
		else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
	}

	/** `start_automation_run`: the checks, then the scenario that the query's first word names. */
	private start(received: Received, operation: Operation) {
		const { record, response } = received;
		const refusal = refuseStart(received, operation);
		if (refusal) return this.reply(received, { status: 400, body: refusal }, operation);

		const body = record.body as Record<string, unknown>;
		const query = String(body.query);
		const threadId = String(body.thread_id ?? randomUUID());
		const earlier = this.state.threads.get(threadId) ?? [];
		const queries = [...earlier, query];
		this.state.threads.set(threadId, queries);

		const named = scenarioNamedBy(query);
		const scenario = isForShopAgent(queries) ? shopAgent : scenarios[named ?? 'demo'];
		const rest = named ? query.trim().slice(named.length).trim() : query;
		const before = earlier.length > 0 ? ` Earlier in this thread: ${earlier.at(-1)}.` : '';
		const run = {
			...{ threadId, queries, shopUrl: this.shopUrl, state: this.state },
			...{ rest, summary: `Done: ${rest || query}.${before}`, body, headers: record.headers },
		};
		const wire = new Wire(response, threadId, `${this.origin}/app/threads/${threadId}`, (...answer) =>
			this.violations.push(...validateResponse(operation, ...answer)),
		);
		this.runs.set(response, wire);
		const start: RecordedStart = {
			...{ threadId, body, headers: record.headers, detached: body.detach === true, startedAt: Date.now() },
			closed: once(response, 'close').then(() => {
				this.runs.delete(response);
				start.closedAt = Date.now();
				start.outcome = wire.completed ? 'finished' : 'aborted';
				return start.outcome;
			}),
		};
		this.starts.push(start);
		void start.closed.then(async (outcome) => outcome === 'finished' && (await sendResult(query)));
		this.events.emit('change');
		const detached = scenario.detached ?? ((_run, target: Wire) => target.detached());
		const play = !start.detached || detached === 'same' ? scenario.play : detached;
		void Promise.resolve(play(run, wire)).catch((error: Error) => {
			this.violations.push(`scenario ${named}: ${error.stack}`);
			response.destroy();
		});
	}
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

const isJson = (headers: Headers) => /^application\/json\s*(;|$)/i.test(String(headers['content-type'] ?? ''));

/** The 422 of a body that is not JSON at all. */
function unreadable({ record, text: input }: Received): ValidationError[] | undefined {
	const [msg, type] = isJson(record.headers)
		? ['JSON decode error', 'json_invalid']
		: ['Input should be a valid dictionary or object to extract fields from', 'model_attributes_type'];
	const isReadable = input === '' || (isJson(record.headers) && parsed(input) !== undefined);
	return isReadable ? undefined : [{ loc: ['body'], msg, type, input, ctx: { given: input } }];
}

/** The body of the 400 of a start, in the order of the checks of the service; undefined if the start is accepted. */
function refuseStart({ record, text }: Received, operation: Operation): { error: string; message: string } | undefined {
	const body = parsed(text);
	const refuse = (error: string, message: string) => ({ error, message });
	if (!isJson(record.headers)) return refuse('invalid_json', 'Content-Type must be application/json.');
	if (typeof body !== 'object' || body === null || Array.isArray(body)) {
		return refuse('invalid_json', 'The request body must be a JSON object.');
	}
	const { version, query } = body as Record<string, unknown>;
	if (version !== undefined && version !== 'v2') {
		const why = version === 'v1' ? 'has been retired' : 'is not supported';
		return refuse('unsupported_version', `Version ${String(version)} ${why}. Omit version or use v2.`);
	}
	if (String(query ?? '').trim() === '') return refuse('missing_query', 'The field query is required.');
	const parts = { params: {}, query: {}, headers: record.headers, body };
	const [error] = validateRequest(operation, parts);
	return error && refuse('invalid_request', `${error.loc.slice(1).join('.')}: ${error.msg}`);
}

/** Starts the service on the loopback interface; port 0 takes a free one. */
export async function startService({
	port = 0,
	apiKey = 'test-api-key',
	user = { username: 'test-user', password: 'test-password' },
} = {}): Promise<Service> {
	const service = new Service(apiKey, user);
	await service.listen(port);
	return service;
}
