/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { setTimeout as sleep } from 'node:timers/promises';

/** Where a task asks the agent to send its result. */
export interface Callback {
	address: string;
	/** The key of the JSON body that takes the result. */
	key: string;
	result: string;
	/** Whether the task asks the agent to try again after a response with this status. */
	againAfter: (status: number) => boolean;
}

const PAUSE_MS = 250;
const PATIENCE_MS = 10_000;

/**
 * Reads what a task asks for, for example `When you are done, send {"result": "…"} by POST to https://… If the response
 * is 409 or another error, try again`. The paragraphs before this one are what the agent works on.
 *
 * @returns undefined if the task names no address to send the result to
 */
export function callbackIn(task: string): Callback | undefined {
	const paragraphs = task.split(/\n\s*\n/);
	const index = paragraphs.findIndex((paragraph) => /\bPOST\b/.test(paragraph) && /https?:\/\//.test(paragraph));
	if (index < 0) return undefined;
	const wanted = paragraphs[index];
	const again = /[^.]*\bagain\b/.exec(wanted)?.[0] ?? '';
	const afterErrors = /\berror\b/.test(again);
	const statuses = (again.match(/\b[45]\d\d\b/g) ?? []).map(Number);
	return {
		address: /https?:\/\/\S*[^\s.,;:)]/.exec(wanted)![0],
		key: /\{\s*"(\w+)"/.exec(wanted)?.[1] ?? 'result',
		result: `Done: ${paragraphs.slice(0, index).join('\n\n')}`,
		againAfter: (status) => statuses.includes(status) || (afterErrors && status >= 400),
	};
}

/**
 * Sends the result of a run if its task asks for it, as an agent would that can send requests. Tries again for a short
 * time while nothing listens at the address, and after the responses that the task names.
 */
export async function sendResult(task: string): Promise<void> {
	const callback = callbackIn(task);
	if (!callback) return;
	for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; ) {
		const status = await post(callback);
		if (status !== undefined && !callback.againAfter(status)) return;
		await sleep(PAUSE_MS, undefined, { ref: false });
	}
}

/** Sends the result once, and gives the status of the response; undefined if there is none. */
async function post({ address, key, result }: Callback): Promise<number | undefined> {
	try {
		const response = await fetch(address, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ [key]: result }),
			signal: AbortSignal.timeout(PATIENCE_MS),
		});
		await response.body?.cancel();
		return response.status;
	} catch {
		return undefined;
	}
}
