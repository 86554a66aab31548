/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 250;
const PATIENCE_MS = 120_000;

/**
 * Sends the result of a run if its task asks for it: `When you are done, send {"result": "…"} by POST to https://… If the response is 409
 * or another error, try again`, behind what the agent works on. It tries for some time while nothing listens, and after what is named.
 */
export async function sendResult(task: string): Promise<void> {
	const paragraphs = task.split(/\n\s*\n/);
	const index = paragraphs.findIndex((paragraph) => /\bPOST\b/.test(paragraph) && /https?:\/\//.test(paragraph));
	if (index < 0) return;
	const wanted = paragraphs[index];
	const address = /https?:\/\/\S*[^\s.,;:)]/.exec(wanted)![0];
	const key = /\{\s*"(\w+)"/.exec(wanted)?.[1] ?? 'result';
	const body = JSON.stringify({ [key]: `Done: ${paragraphs.slice(0, index).join('\n\n')}` });
	const again = /[^.]*\bagain\b/.exec(wanted)?.[0] ?? '';
	const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
	for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; ) {
		const signal = AbortSignal.timeout(PATIENCE_MS);
		const status = await fetch(address, { ...request, signal }).then(
			async (response) => (await response.body?.cancel(), response.status),
			() => undefined,
		);
		const isNamed = again.includes(String(status)) || (/\berror\b/.test(again) && Number(status) >= 400);
		if (status !== undefined && !isNamed) return;
		await sleep(PAUSE_MS, undefined, { ref: false });
	}
}
