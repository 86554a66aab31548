const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Why a text cannot be a thread ID, and what to do; undefined if it can. The service uses UUIDs. */
export const findThreadIdProblem = (text: string): { problem: string; advice: string } | undefined =>
	UUID.test(text)
		? undefined
		: { problem: 'Thread ID is not valid', advice: 'Map thread_id from an earlier run, or leave it empty' };
