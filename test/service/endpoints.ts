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

const SECONDS = 12;

const playlist = (origin: string, id: string) =>
	['#EXTM3U', `#EXTINF:${SECONDS}.000,`, signed(origin, id, 'segment.ts'), '#EXT-X-ENDLIST', ''].join('\n');

/** The main interface by operation id. */
export const handlers: Record<string, Handler> = {
	connect_payment_wallet: ({ body, origin }) =>
		ok({
			...{ id: 'pay_1', mode: String(body.mode ?? 'live'), status: 'awaiting_connection', error_code: null },
			connection_url: `${origin}/app/wallet/pay_1`,
			connection_phrase: 'amber-harbor-violin',
			expires_at: inMinutes(15),
		}),

	set_profile_cookies: ({ params, body, state }) => {
		const given = body.cookies as Cookie[];
		const mode = String(body.mode ?? 'replace');
		const kept = mode === 'append' ? (state.profiles.get(params.profile_id) ?? []) : [];
		state.profiles.set(params.profile_id, [...kept, ...given]);
		return ok({ success: true, message: `${given.length} cookies set`, cookies_count: given.length, mode });
	},

	create_mailbox_connect_token: ({ body, origin, state }) => {
		const id = String(body.mailbox_id ?? `mailbox-${state.mailboxes.size + 1}`);
		if (body.mailbox_id && !state.mailboxes.has(id)) return notFound('Mailbox');
		state.mailboxes.add(id);
		const url = `${origin}/app/mailbox/${encodeURIComponent(id)}?token=connect`;
		return ok({ connect_link_url: url, mailbox_id: id, expires_at: inMinutes(30) });
	},

	delete_mailbox: ({ params, state }) =>
		state.mailboxes.delete(params.mailbox_id) ? { status: 204 } : notFound('Mailbox'),

	search_web: ({ body: { q, maxResults = 3, outputType = 'searchResults' } }) => {
		const text = String(q);
		const pages = Array.from({ length: Number(maxResults) }, (_, index) => ({
			url: `https://example.com/result/${index + 1}`,
			name: `Result ${index + 1} for ${text}`,
		}));
		if (outputType === 'structured') return ok({ answer: text });
		if (outputType === 'sourcedAnswer') return ok({ answer: `The answer to ${text}`, sources: pages });
		return ok({ results: pages.map((page) => ({ ...page, content: `About ${page.name}` })) });
	},

	get_session_script: ({ params, query, state }) => {
		if (!findSession(state, params.session_id)) return notFound('Session');
		const steps = ['session.goto("https://example.com")', 'session.click("#next")'];
		if (query.infer_response_format) steps.push('session.scrape(response_format=Products)');
		const lines = steps.map((line) => `    ${line}\n`).join('');
		const workflow = `from service import Session\n\nwith Session() as session:\n${lines}`;
		return ok({
			python_script: (query.as_workflow ?? true) ? workflow : `${steps.join('\n')}\n`,
			json_actions: [
				{ type: 'goto', url: 'https://example.com' },
				{ type: 'click', selector: '#next' },
			],
		});
	},

	get_session_replay: ({ params: { session_id: id }, origin, state }) => {
		const found = findSession(state, id);
		if (!found) return notFound('Session');
		const processing = { detail: 'The replay is not ready yet', replay_status: 'processing', retryable: true };
		if (++found.asks <= found.readyAfter) return { status: 404, body: processing };
		const fields = {
			playlist_content: playlist(origin, id),
			mp4_url: signed(origin, id, 'recording.mp4'),
			video_start_ms: 0,
			video_duration_ms: SECONDS * 1000,
		};
		const nulls = Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
		return ok({ expires_at: inMinutes(60), ...(id === 'null-fields' ? nulls : fields) });
	},

	get_secret: ({ params, query, state }) => {
		const all = [...state.secrets.values()];
		const found = all.find(({ name, namespace }) => name === params.name && namespace === query.namespace);
		return found ? ok({ value: found.value }) : notFound('Secret');
	},

	delete_secret: ({ params, state }) => (state.secrets.delete(params.secret_id) ? { status: 204 } : notFound('Secret')),
};
