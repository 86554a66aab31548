// A chat model on loopback. It speaks the public chat completions interface as far as n8n's chat model node needs it.
import { createServer } from 'node:http';

/**
 * Starts a model that does as its last user message says: `call {"Task": "…"}` calls the first tool with those
 * arguments, and whatever the tool answers is repeated in the closing text. Anything else is answered at once.
 *
 * @returns {Promise<{ url: string, requests: object[], stop: () => Promise<void> }>} `requests` are the bodies received
 */
export async function startChatModel() {
	const requests = [];
	const server = createServer(async (request, response) => {
		let text = '';
		for await (const part of request) text += part;
		if (!request.url.startsWith('/v1/chat/completions')) return void response.writeHead(404).end();
		const body = JSON.parse(text);
		requests.push(body);
		if (body.stream) stream(response, replyTo(body));
		else answer(response, replyTo(body));
	});
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	const stop = () => {
		server.closeAllConnections();
		return new Promise((resolve) => server.close(resolve));
	};
	return { url: `http://127.0.0.1:${server.address().port}/v1`, requests, stop };
}

function replyTo({ messages, tools }) {
	const last = messages.at(-1);
	if (last.role === 'tool') return { content: `The tool said: ${textOf(last)}` };
	const [, input] = /^call (\{.*\})$/s.exec(textOf(last)) ?? [];
	if (!input) return { content: `You said: ${textOf(last)}` };
	return {
		content: '',
		tool_calls: [
			{
				index: 0,
				id: `call_${messages.length}`,
				type: 'function',
				function: { name: tools[0].function.name, arguments: input },
			},
		],
	};
}

/** Text of a message, which may come in parts. */
function textOf({ content }) {
	return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('');
}

const envelope = (object, choice) => ({
	id: 'chatcmpl-1',
	object,
	created: 1,
	model: 'loopback',
	choices: [{ index: 0, ...choice }],
});

const reasonOf = (message) => (message.tool_calls ? 'tool_calls' : 'stop');

function answer(response, message) {
	const body = envelope('chat.completion', {
		message: { role: 'assistant', ...message },
		finish_reason: reasonOf(message),
	});
	response.writeHead(200, { 'content-type': 'application/json' });
	response.end(JSON.stringify({ ...body, usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }));
}

function stream(response, message) {
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	const send = (choice) => response.write(`data: ${JSON.stringify(envelope('chat.completion.chunk', choice))}\n\n`);
	send({ delta: { role: 'assistant', ...message }, finish_reason: null });
	send({ delta: {}, finish_reason: reasonOf(message) });
	response.end('data: [DONE]\n\n');
}
