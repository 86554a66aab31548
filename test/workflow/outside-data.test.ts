/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import { events, finish, runStream, textChunks } from '../engine/serve-stream';
import { THREAD, threadOf } from '../engine/thread-of';

// assistant-ui PR#4096, OmniRoute PR#4937: a run whose service sent something else than `data:` says what.

const CLOSED = 'The connection closed before the run finished';
const QUOTED = `${CLOSED}. The service sent: `;
const chunks = events(...textChunks('Half a'));
const PAGE = '<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head></html>\n';

it.each<[string, string, string]>([
	[
		'the protocol of an older SDK',
		'0:"Hello"\n0:" there"\nd:{"finishReason":"stop"}\n',
		`${QUOTED}0:"Hello" 0:" there" d:{"finishReason":"stop"}`,
	],
	['NDJSON', '{"type":"text","text":"Hi"}\n{"type":"end"}\n', `${QUOTED}{"type":"text","text":"Hi"} {"type":"end"}`],
	['plain text', 'upstream connect error', `${QUOTED}upstream connect error`],
	['an error', '{"error":{"message":"Out of memory"}}', `${QUOTED}Out of memory`],
	['an error after chunks', `${chunks}{"error":{"message":"Out of memory"}}`, `${QUOTED}Out of memory`],
	['a page after chunks', chunks + PAGE, `${QUOTED}The service returned a web page titled "502 Bad Gateway"`],
	['text after chunks', `${chunks}upstream reset`, `${QUOTED}upstream reset`],
	['only chunks', chunks, CLOSED],
])('%s', async (_what, body, reason) => {
	const { error } = await runStream(body);
	expect(error?.message).toBe(reason);
	expect(error?.context.data).toMatchObject({ status: 'interrupted', thread_id: threadOf(THREAD) });
});

it('a run that is complete does not care', async () => {
	const { items } = await runStream(`${chunks}{"error":"x"}\n\n${events(finish)}`);
	expect(items[0].json).toMatchObject({ text: 'Half a' });
});

it('a lost connection keeps the words of the service', async () => {
	const { error } = await runStream((_task, response) => {
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		response.write(`${chunks}{"error":{"message":"Out of memory"}}\n\n`, () =>
			setTimeout(() => response.destroy(), 50),
		);
	});
	expect(error?.message).toMatch(
		/^The connection to the service was lost during the run \(.+\)\. The service sent: Out of memory$/,
	);
});
