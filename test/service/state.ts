import type { Work } from './agent/steady-agent';

/** A cookie: `Cookie` in openapi.json. */
export type Cookie = Record<string, unknown> & { name: string };

/** A session: how often its replay was asked for, and how many of these requests get 404 before it is ready. */
export interface Session {
	asks: number;
	readyAfter: number;
}

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
	sessions: new Map<string, Session>(['session-1', 'null-fields'].map((id) => [id, { asks: 0, readyAfter: 0 }])),
});

/** A session by its id; `processing-N` exists once it is asked for. */
export function findSession({ sessions }: ServiceState, id: string): Session | undefined {
	const [, count] = /^processing-(\d+)$/.exec(id) ?? [];
	if (count && !sessions.has(id)) sessions.set(id, { asks: 0, readyAfter: Number(count) });
	return sessions.get(id);
}
