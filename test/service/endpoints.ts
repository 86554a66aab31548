import { signed } from './files';
import { findSession, type Cookie, type ServiceState } from './state';

/** A request to the main interface that has passed validation. */
export interface Call {
	params: Record<string, string>;
	query: Record<string, unknown>;
	body: Record<string, unknown>;
	origin: string;
	state: ServiceState;
}

export interface Reply {
	status: number;
	body?: unknown;
}

type Handler = (call: Call) => Reply;

const ok = (body: unknown): Reply => ({ status: 200, body });
const notFound = (what: string): Reply => ({ status: 404, body: { detail: `${what} not found` } });
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

const connectPayment: Handler = ({ body, origin, state }) => {
	const id = `pay_${state.payments.size + 1}`;
	const payment = {
		id,
		mode: String(body.mode ?? 'live'),
		status: 'awaiting_connection',
		connection_url: `${origin}/app/wallet/${id}`,
		connection_phrase: 'amber-harbor-violin',
		expires_at: inMinutes(15),
		error_code: null,
	};
	state.payments.set(id, payment);
	return ok(payment);
};

const setCookies: Handler = ({ params, body, state }) => {
	const given = body.cookies as Cookie[];
	const mode = String(body.mode ?? 'replace');
	const kept = mode === 'append' ? (state.profiles.get(params.profile_id) ?? []) : [];
	state.profiles.set(params.profile_id, [...kept, ...given]);
	return ok({ success: true, message: `${given.length} cookies set`, cookies_count: given.length, mode });
};

const connectMailbox: Handler = ({ body, origin, state }) => {
	const id = String(body.mailbox_id ?? `mailbox-${state.mailboxes.size + 1}`);
	const known = state.mailboxes.get(id);
	if (body.mailbox_id && !known) return notFound('Mailbox');
	const provider = String(body.provider ?? known?.provider ?? 'gmail');
	state.mailboxes.set(id, { id, provider, tokens: (known?.tokens ?? 0) + 1 });
	return ok({
		connect_link_url: `${origin}/app/mailbox/${encodeURIComponent(id)}?token=connect`,
		mailbox_id: id,
		expires_at: inMinutes(30),
	});
};

const deleteMailbox: Handler = ({ params, state }) =>
	state.mailboxes.delete(params.mailbox_id) ? { status: 204 } : notFound('Mailbox');

const search: Handler = ({ body }) => {
	const count = typeof body.maxResults === 'number' ? body.maxResults : 3;
	const pages = Array.from({ length: count }, (_, index) => ({
		url: `https://example.com/result/${index + 1}`,
		name: `Result ${index + 1} for ${String(body.q)}`,
	}));
	switch (body.outputType ?? 'searchResults') {
		case 'searchResults':
			return ok({ results: pages.map((page) => ({ ...page, content: `About ${page.name}` })) });
		case 'sourcedAnswer':
			return ok({
				answer: `The answer to ${String(body.q)}`,
				sources: pages.map((page) => ({ ...page, snippet: `From ${page.url}` })),
			});
		default:
			return ok({ kind: body.outputType, received: body });
	}
};

const script: Handler = ({ params, query, state }) => {
	if (!findSession(state, params.session_id)) return notFound('Session');
	const steps = ['session.goto("https://example.com")', 'session.click("#next")'];
	if (query.infer_response_format) steps.push('session.scrape(response_format=Products)');
	const standalone = query.as_workflow ?? true;
	return ok({
		python_script: standalone
			? `from service import Session\n\nwith Session() as session:\n${steps.map((line) => `    ${line}\n`).join('')}`
			: `${steps.join('\n')}\n`,
		json_actions: [
			{ type: 'goto', url: 'https://example.com' },
			{ type: 'click', selector: '#next' },
		],
	});
};

const SEGMENTS = 3;
const SEGMENT_SECONDS = 4;

function playlist(origin: string, id: string): string {
	const entries = Array.from({ length: SEGMENTS }, (_, index) => [
		`#EXTINF:${SEGMENT_SECONDS}.000,`,
		signed(origin, id, `segment-${index}.ts`),
	]);
	const head = ['#EXTM3U', '#EXT-X-VERSION:3', `#EXT-X-TARGETDURATION:${SEGMENT_SECONDS}`];
	return [...head, ...entries.flat(), '#EXT-X-ENDLIST', ''].join('\n');
}

const replay: Handler = ({ params, origin, state }) => {
	const id = params.session_id;
	const found = findSession(state, id);
	if (!found) return notFound('Session');
	found.asks++;
	const problem = (status: number, detail: string, replay_status: string, retryable: boolean) => ({
		status,
		body: { detail, replay_status, retryable },
	});
	if (found.replay === 'failed') return problem(404, 'The replay could not be made', 'failed', false);
	if (found.replay === 'unavailable') {
		return problem(410, 'The session has no frames', 'unavailable', false);
	}
	if (found.replay === 'processing' && found.asks <= found.readyAfter) {
		return problem(404, 'The replay is not ready yet', 'processing', true);
	}
	const empty = found.replay === 'null-fields';
	return ok({
		expires_at: inMinutes(60),
		playlist_content: empty ? null : playlist(origin, id),
		mp4_url: empty ? null : signed(origin, id, 'recording.mp4'),
		video_start_ms: empty ? null : 0,
		video_duration_ms: empty ? null : SEGMENTS * SEGMENT_SECONDS * 1000,
	});
};

const getSecret: Handler = ({ params, query, state }) => {
	const found = [...state.secrets.values()].find(
		({ name, namespace }) => name === params.name && namespace === query.namespace,
	);
	return found ? ok({ value: found.value }) : notFound('Secret');
};

const deleteSecret: Handler = ({ params, state }) =>
	state.secrets.delete(params.secret_id) ? { status: 204 } : notFound('Secret');

/** The main interface by operation id. */
export const handlers: Record<string, Handler> = {
	connect_payment_wallet: connectPayment,
	set_profile_cookies: setCookies,
	create_mailbox_connect_token: connectMailbox,
	delete_mailbox: deleteMailbox,
	search_web: search,
	get_session_script: script,
	get_session_replay: replay,
	get_secret: getSecret,
	delete_secret: deleteSecret,
};
