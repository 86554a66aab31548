// What of a run is for the traces that n8n exports over OpenTelemetry. n8n puts what a node says of itself on the span only with a
// license for that: here, it is read where n8n takes it from, and the spans are those of an n8n without one.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { postStreaming, until, withParameters } from './instance.mjs';
import { streamingWebhook } from './queue.mjs';
import { n8n, traces } from './shared.mjs';

const NODE = 'Run Automation';

/** Runs tasks in one production execution; returns the span of the node, and what the node says for it. */
async function trace(tasks) {
	traces.spans.length = 0;
	const { workflow, path } = streamingWebhook();
	const id = await n8n.publish(withParameters(workflow, { Webhook: { responseMode: 'onReceived' } }));
	await postStreaming(n8n.url + path, { tasks });
	const span = await until('the span of the node is exported', () =>
		traces.spans.find(({ attributes }) => attributes['n8n.node.name'] === NODE),
	);
	const { metadataOf } = await n8n.lastExecution(id);
	return { span, tracing: metadataOf(NODE).tracing };
}

it('the traces of n8n get the thread of a run and how it ended, and never its text or the key', async () => {
	const { span, tracing } = await trace(['quick secret-word']);
	const [{ threadId }] = n8n.service.starts;
	assert.deepEqual(tracing, { thread_id: threadId, status: 'completed', runs: 1, follow_ups: 0 });
	assert.equal(span.attributes['n8n.node.items.output'], 1);
	for (const text of ['secret-word', n8n.service.apiKey]) assert.ok(!traces.received().includes(text), text);
});

it('they get those of a run that failed, too, whose reason n8n itself puts on the span', async () => {
	const { tracing } = await trace(['failed now']);
	const [{ threadId }] = n8n.service.starts;
	assert.deepEqual(tracing, { thread_id: threadId, status: 'failed', runs: 1, follow_ups: 0 });
	assert.ok(traces.received().includes('The site blocked the agent'));
});
