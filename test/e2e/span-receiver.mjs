// A receiver of OpenTelemetry traces on loopback: as much of OTLP over HTTP as n8n's exporter needs.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

/**
 * @returns {Promise<{ url: string, spans: { name: string, attributes: Record<string, string | number | boolean> }[],
 *   received: () => string, stop: () => void }>} `received` is all that was sent, as text
 */
export async function startSpanReceiver() {
	const spans = [];
	const bodies = [];
	const server = createServer(async (request, response) => {
		const body = await buffer(request);
		bodies.push(body);
		spans.push(...spansIn(body));
		response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const received = () => Buffer.concat(bodies).toString('latin1');
	return { url: `http://127.0.0.1:${server.address().port}`, spans, received, stop: () => server.close() };
}

/** The spans of an ExportTraceServiceRequest. The numbers are those of opentelemetry-proto. */
const spansIn = (body) =>
	all(body, 1)
		.flatMap((resourceSpans) => all(resourceSpans, 2))
		.flatMap((scopeSpans) => all(scopeSpans, 2))
		.map((span) => ({
			name: String(all(span, 5)[0]),
			attributes: Object.fromEntries(all(span, 9).map((pair) => [String(all(pair, 1)[0]), valueIn(all(pair, 2)[0])])),
		}));

function valueIn(anyValue) {
	const [[number, value]] = fieldsOf(anyValue);
	// The values of no other type are looked at.
	return { 1: String, 2: Boolean, 3: Number }[number]?.(value);
}

const all = (message, wanted) =>
	[...fieldsOf(message)].flatMap(([number, value]) => (number === wanted ? [value] : []));

/** The fields of a protobuf message, as numbers and what they hold: bytes, or a number if it is a varint. */
function* fieldsOf(message) {
	let at = 0;
	const varint = () => {
		let value = 0;
		for (let scale = 1; ; scale *= 128) {
			const byte = message[at++];
			value += (byte % 128) * scale;
			if (byte < 128) return value;
		}
	};
	while (at < message.length) {
		const tag = varint();
		const type = tag % 8;
		const value = type === 0 ? varint() : undefined;
		const length = { 0: 0, 1: 8, 5: 4 }[type] ?? varint();
		yield [Math.floor(tag / 8), value ?? message.subarray(at, at + length)];
		at += length;
	}
}
