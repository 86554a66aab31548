import type { Work } from './agent/steady-agent';

/** A cookie: `Cookie` in openapi.json. */
export type Cookie = Record<string, unknown> & { name: string };

/** What the replay of a session is. */
export interface Session {
	replay: 'ready' | 'processing' | 'unavailable' | 'failed' | 'null-fields';
	/** How often it was asked for. */
	asks: number;
	/** For `processing`: how many requests get 404 before the replay is ready. */
	readyAfter: number;
}

const session = (replay: Session['replay'], readyAfter = 0): Session => ({ replay, asks: 0, readyAfter });

/** Everything the service remembers; tests may look at it. Keys are ids. */
export type ServiceState = ReturnType<typeof seed>;

/** The state of a service that has just been started. */
export const seed = () => ({
	/** The queries of each thread, in order. */
	threads: new Map<string, string[]>(),
	/** The tasks of the scenario `once` that have failed. */
	failedOnce: new Set<string>(),
	/** What was done in each thread of the agent that goes on while nobody listens. */
	works: new Map<string, Work>(),
	profiles: new Map<string, Cookie[]>([['profile-1', []]]),
	mailboxes: new Set(['mailbox-1']),
	secrets: new Map([
		['sec_1', { name: 'MODEL_KEY', namespace: 'llm_provider', value: 'value-of-model-key' }],
		['sec_2', { name: 'team/shop key 100%?#é', namespace: 'function_env', value: 'value-of-shop-key' }],
	]),
	sessions: new Map<string, Session>([
		['session-1', session('ready')],
		...(['unavailable', 'failed', 'null-fields'] as const).map((replay) => [replay, session(replay)] as const),
	]),
});

/** A session by its id; `processing-N` exists once it is asked for. */
export function findSession({ sessions }: ServiceState, id: string): Session | undefined {
	const [, count] = /^processing-(\d+)$/.exec(id) ?? [];
	if (count && !sessions.has(id)) sessions.set(id, session('processing', Number(count)));
	return sessions.get(id);
}
