import type { OpenedPage } from './agent/browse';

/** A cookie: `Cookie` in openapi.json. */
export type Cookie = Record<string, unknown> & { name: string };

export interface Secret {
	id: string;
	name: string;
	namespace: string;
	value: string;
}

export interface Mailbox {
	id: string;
	provider: string;
	/** How many connect tokens were made for it. */
	tokens: number;
}

export interface Payment {
	id: string;
	mode: string;
	status: string;
	connection_url: string | null;
	connection_phrase: string | null;
	expires_at: string | null;
	error_code: string | null;
}

/** What the replay of a session is; `asks` counts how often it was asked for. */
export interface Session {
	replay: 'ready' | 'processing' | 'unavailable' | 'failed' | 'null-fields';
	asks: number;
	/** For `processing`: how many asks are answered with 404 before the replay is ready. */
	readyAfter: number;
	/** Size of the recording in bytes. */
	bytes: number;
}

/** Everything the service remembers; tests may look at it and seed it. Keys are ids. */
export interface ServiceState {
	/** The queries of each thread, in order. */
	threads: Map<string, string[]>;
	/** The pages of the shop that the agent has read, or is reading, in each thread. */
	readings: Map<string, Promise<OpenedPage[]>>;
	/** The cookies of each profile. */
	profiles: Map<string, Cookie[]>;
	mailboxes: Map<string, Mailbox>;
	secrets: Map<string, Secret>;
	sessions: Map<string, Session>;
	payments: Map<string, Payment>;
}

/** A session record; tests seed `state.sessions` with it. */
export function session(change: Partial<Session> = {}): Session {
	return { replay: 'ready', asks: 0, readyAfter: 0, bytes: 2048, ...change };
}

/** The state of a service that has just been started. */
export function seed(): ServiceState {
	const secrets: Secret[] = [
		{ id: 'sec_1', name: 'MODEL_KEY', namespace: 'llm_provider', value: 'value-of-model-key' },
		{ id: 'sec_2', name: 'team/shop key 100%?#é', namespace: 'function_env', value: 'value-of-shop-key' },
	];
	return {
		threads: new Map(),
		readings: new Map(),
		profiles: new Map([['profile-1', []]]),
		mailboxes: new Map([['mailbox-1', { id: 'mailbox-1', provider: 'gmail', tokens: 0 }]]),
		secrets: new Map(secrets.map((secret) => [secret.id, secret])),
		sessions: new Map([
			['session-1', session()],
			['unavailable', session({ replay: 'unavailable' })],
			['failed', session({ replay: 'failed' })],
			['null-fields', session({ replay: 'null-fields' })],
		]),
		payments: new Map(),
	};
}

/** A session by its id; `processing-N` and `sized-N` (a recording of N bytes) exist once they are asked for. */
export function findSession(state: ServiceState, id: string): Session | undefined {
	const made = /^(processing|sized)-(\d+)$/.exec(id);
	if (made && !state.sessions.has(id)) {
		const count = Number(made[2]);
		const change: Partial<Session> =
			made[1] === 'sized' ? { bytes: count } : { replay: 'processing', readyAfter: count };
		state.sessions.set(id, session(change));
	}
	return state.sessions.get(id);
}
