// A chat model on loopback. It speaks the public chat completions interface as far as n8n's chat model node needs it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

/**
 * Starts a model that does as its last user message says: `call {"Task": "…"}` calls the first tool with those
 * arguments, and whatever the tool answers is repeated in the closing text. Anything else is answered at once. `requests` are the
 * bodies received.
 */
export async function startChatModel() {
	const requests = [];
	const server = createServer(async (request, response) => {
		// n8n makes up titles of conversations with other interfaces of a model, and does without.
		if (!request.url.endsWith('/chat/completions')) return response.writeHead(404).end();
		const body = await json(request);
		requests.push(body);
		const message = replyTo(body);
		const envelope = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'loopback' };
		if (!body.stream) {
			const finish_reason = message.tool_calls ? 'tool_calls' : 'stop';
			const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }];
			response.writeHead(200, { 'content-type': 'application/json' });
			return response.end(JSON.stringify({ ...envelope, object: 'chat.completion', choices }));
		}
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		const send = (delta, finish_reason) =>
			response.write(`data: ${JSON.stringify({ ...envelope, choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
		send({ role: 'assistant', ...message }, null);
		send({}, message.tool_calls ? 'tool_calls' : 'stop');
		response.end('data: [DONE]\n\n');
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	return { url: `http://127.0.0.1:${server.address().port}/v1`, requests, stop: () => server.close() };
}

function replyTo({ messages, tools }) {
	const { role, content } = messages.at(-1);
	// A message may come in parts.
	const text = typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('');
	if (role === 'tool') return { content: `The tool said: ${text}` };
	const [, input] = /^call (\{.*\})$/s.exec(text) ?? [];
	if (!input) return { content: `You said: ${text}` };
	const call = { name: tools[0].function.name, arguments: input };
	return { content: '', tool_calls: [{ index: 0, id: `call_${messages.length}`, type: 'function', function: call }] };
}
