/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { bookAgent, isForBookAgent } from './agent/book-agent';
import { sendResult } from './agent/callback';
import { isForPortalAgent, portalAgent } from './agent/portal';
import { isForSteadyAgent, steadyAgent } from './agent/steady-agent';
import { isForUploadAgent, uploadAgent } from './agent/upload';
import { handlers, type Reply } from './endpoints';
import { FILES_PREFIX, serveFile } from './files';
import { matchOperation, problem, validateRequest, validateResponse, type Operation } from './openapi';
import { scenarioNamedBy, withoutRequest, scenarios, type Scenario } from './scenarios';
import { seed } from './state';
import { Tokens, type User } from './tokens';
import { Wire } from './wire';

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

/** A start that was accepted, whatever its scenario answered. */
export interface RecordedStart {
	threadId: string;
	body: Record<string, unknown>;
	/** The query without the request behind it to say if something stopped the agent. */
	task: string;
	headers: Headers;
	detached: boolean;
	/** `aborted`: the client closed the socket before the service had sent all it meant to. */
	closed: Promise<'finished' | 'aborted'>;
	outcome?: 'finished' | 'aborted';
}

const MAIN_PREFIX = '/rest';
const AUTOMATION_PREFIX = '/automation';
const START = 'start_automation_run';

/** A running service. */
export class Service {
	/** Where the main interface is. */
	baseUrl = '';
	/** Where runs are started. */
	automationUrl = '';
	readonly requests: RecordedRequest[] = [];
	readonly starts: RecordedStart[] = [];
	/** Responses of the service itself that do not match openapi.json; those that a scenario is about are none. */
	readonly violations: string[] = [];
	readonly state = seed();
	/** The tokens that were issued, and how long they live. */
	tokens: Tokens;

	private readonly events = new EventEmitter().setMaxListeners(0);
	private holds = true;
	private readonly runs = new Map<ServerResponse, Wire>();
	private readonly server = createServer((request, response) => {
		this.receive(request, response).catch((error: Error) => this.fail(response, error));
	});

	/** @param user who gets tokens of the main interface */
	constructor(
		readonly apiKey = 'test-api-key',
		readonly user: User = { username: 'test-user', password: 'test-password' },
	) {
		this.tokens = new Tokens(user);
	}

	private get origin() {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	/** Listens on the loopback interface; port 0 takes a free one. */
	async listen(port = 0): Promise<void> {
		await once(this.server.listen(port, '127.0.0.1'), 'listening');
		this.baseUrl = `${this.origin}${MAIN_PREFIX}`;
		this.automationUrl = `${this.origin}${AUTOMATION_PREFIX}`;
	}

	/** Resolves when there is a start. */
	async waitForStart(): Promise<void> {
		if (this.starts.length === 0) await once(this.events, 'start');
	}

	/** Lets the runs of the scenario `held` go on, now and until the next reset. */
	release() {
		this.holds = false;
		this.events.emit('release');
	}

	/** Forgets all records, seeds the state anew and closes the connections of runs still going on. */
	reset() {
		this.closeRuns();
		for (const list of [this.requests, this.starts, this.violations]) list.length = 0;
		Object.assign(this.state, seed());
		this.holds = true;
		this.tokens = new Tokens(this.user);
	}

	/** Closes all sockets and timers at once. */
	async stop() {
		this.closeRuns();
		const closed = once(this.server, 'close');
		this.server.close().closeAllConnections();
		await closed;
	}

	private closeRuns() {
		for (const [response, wire] of this.runs) {
			wire.complete();
			response.destroy();
		}
	}

	private fail(response: ServerResponse, { stack }: Error) {
		this.violations.push(`the service itself failed: ${stack}`);
		response.destroy();
	}

	private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { pathname: path, searchParams } = new URL(request.url ?? '', 'http://service');
		const { method = '', headers } = request;
		const record: RecordedRequest = {
			...{ method, path, query: Object.fromEntries(searchParams), headers, body: undefined },
			get status() {
				return response.headersSent ? response.statusCode : 0;
			},
		};
		this.requests.push(record);
		const text = await textOf(request).catch(() => undefined);
		if (text === undefined) return;
		record.body = parsed(text);
		if (path.startsWith(FILES_PREFIX)) return serveFile(request, response, this.state);
		if (path !== `${MAIN_PREFIX}/token`) return this.route(record, response);
		const [status, body] = this.tokens.answer(text);
		// RFC 6749, section 5.1.
		response.setHeader('cache-control', 'no-store');
		send(response, status, body);
	}

	private route(record: RecordedRequest, response: ServerResponse) {
		const { headers, body } = record;
		const match = matchOperation(record.method, record.path);
		if ('status' in match)
			return send(response, match.status, { detail: match.status === 404 ? 'Not Found' : 'Method Not Allowed' });
		const { operation, params } = match;
		const reply = (given: Reply) => {
			this.violations.push(...validateResponse(operation, given.status, {}, given.body));
			send(response, given.status, given.body);
		};
		const detail = this.refuseBearer(headers.authorization, operation);
		if (detail) return reply({ status: 401, body: { detail } });
		if (operation.id === START) {
			const refusal = refuseStart(record, operation);
			return refusal ? reply({ status: 400, body: refusal }) : this.start(record, response, operation);
		}
		const query: Record<string, unknown> = { ...record.query };
		const isReadable = body === undefined || (isJson(headers) && typeof body !== 'string');
		const errors = isReadable
			? validateRequest(operation, { params, query, headers, body })
			: [problem(['body'], 'json_invalid', 'JSON decode error', body)];
		if (errors.length > 0) return reply({ status: 422, body: { detail: errors } });
		const { origin, state } = this;
		reply(handlers[operation.id]({ params, query, body: (body ?? {}) as Record<string, unknown>, origin, state }));
	}

	/** The key is good for both interfaces, a token for the main one only. */
	private refuseBearer(authorization: unknown, { id }: Operation): string | undefined {
		const bearer = /^Bearer (.+)$/.exec(String(authorization ?? ''))?.[1] ?? '';
		if (bearer === this.apiKey) return undefined;
		return id === START ? 'Invalid or missing API key' : this.tokens.use(bearer);
	}

	/** `start_automation_run`: plays the scenario that the query's first word names. */
	private start(record: RecordedRequest, response: ServerResponse, operation: Operation) {
		const body = record.body as Record<string, unknown>;
		const query = String(body.query);
		const threadId = String(body.thread_id ?? randomUUID());
		const earlier = this.state.threads.get(threadId) ?? [];
		const queries = [...earlier, query];
		this.state.threads.set(threadId, queries);

		const named = scenarioNamedBy(query);
		const agent =
			(isForSteadyAgent(threadId, query, this.state) && steadyAgent) ||
			(isForUploadAgent(queries) && uploadAgent) ||
			(isForPortalAgent(queries) && portalAgent) ||
			(isForBookAgent(queries) && bookAgent);
		const scenario: Scenario = agent || scenarios[named ?? 'demo'];
		const task = withoutRequest(query);
		const rest = named ? task.trim().slice(named.length).trim() : task;
		const before = earlier.length > 0 ? ` Earlier in this thread: ${withoutRequest(earlier.at(-1)!)}.` : '';
		const summary = `Done: ${rest || task}.${before}`;
		const whenReleased = async () => this.holds && (await once(this.events, 'release'));
		const run = { threadId, queries, state: this.state, rest, summary, whenReleased };
		const wire = new Wire(response, threadId, `${this.origin}/app/threads/${threadId}`, (...answer) =>
			this.violations.push(...validateResponse(operation, ...answer)),
		);
		this.runs.set(response, wire);
		const start: RecordedStart = {
			...{ threadId, body, task, headers: record.headers, detached: body.detach === true },
			closed: once(response, 'close').then(() => {
				this.runs.delete(response);
				start.outcome = wire.completed ? 'finished' : 'aborted';
				if (wire.completed) void sendResult(query);
				return start.outcome;
			}),
		};
		this.starts.push(start);
		this.events.emit('start');
		const detached = scenario.detached ?? ((_run, target: Wire) => target.detached());
		const play = !start.detached || detached === 'same' ? scenario.play : detached;
		void Promise.resolve(play(run, wire)).catch((error: Error) => this.fail(response, error));
	}
}

/** Responds with JSON, or without a body. */
function send(response: ServerResponse, status: number, body: unknown) {
	if (body === undefined) return void response.writeHead(status).end();
	response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** JSON as a value, any other text as it is; undefined for none. */
function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text || undefined;
	}
}

const isJson = (headers: Headers) => /^application\/json\s*(;|$)/i.test(String(headers['content-type'] ?? ''));

/** The body of the 400 of a start, in the order of the checks of the service; undefined if the start is accepted. */
function refuseStart({ headers, body }: RecordedRequest, operation: Operation) {
	const refuse = (error: string, message: string) => ({ error, message });
	if (!isJson(headers) || typeof body !== 'object' || body === null || Array.isArray(body)) {
		return refuse('invalid_json', 'The request must be a JSON object with Content-Type application/json.');
	}
	const { version = 'v2', query } = body as Record<string, unknown>;
	if (version !== 'v2') return refuse('unsupported_version', `Version ${String(version)} is not supported.`);
	if (String(query ?? '').trim() === '') return refuse('missing_query', 'The field query is required.');
	const [error] = validateRequest(operation, { params: {}, query: {}, headers, body });
	return error && refuse('invalid_request', `${error.loc.slice(1).join('.')}: ${error.msg}`);
}
