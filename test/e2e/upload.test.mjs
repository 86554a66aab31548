// Files for the agent in a real n8n: a form receives a file, and the agent downloads it by its link, from n8n itself.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { submitDocument, until, withParameters, workflowFor } from './instance.mjs';
import { n8n } from './shared.mjs';

const NODE = 'Run Automation';

/** Asks the agent in a thread, in another execution and without files. */
async function ask(query, parameters = {}) {
	const workflow = withParameters(workflowFor('one-run'), { [NODE]: { query, ...parameters } });
	return await n8n.execute((await n8n.createWorkflow(workflow)).id);
}

const lastQuery = () => n8n.service.starts.at(-1).body.query;

it('upload-a-document: the agent downloads the file of the form, and what it says is checked', async () => {
	const { error, items } = await submitDocument(n8n);
	assert.equal(error, undefined);
	const line = `\n- "invoice.txt" (text/plain, 20 B): ${n8n.url}/rest/binary-data/signed?token=`;
	assert.ok(lastQuery().includes(line), lastQuery());
	const [{ json }] = items('Uploaded');
	assert.equal(json.document, 'invoice.txt');
	assert.match(json.result, /^I uploaded "invoice\.txt" from \S+signed\?token=\*\*\* \. Its first line is: Invoice 17/);
});

it('the end of a link that has expired, or was changed, is clear', async () => {
	await submitDocument(n8n, { options: { agentFiles: 'Document', totalTimeout: 5 } });
	const [{ threadId, body }] = n8n.service.starts;
	const [, payload] = /signed\?token=[^.]+\.([^.]+)\./.exec(body.query);
	const { exp } = JSON.parse(Buffer.from(payload, 'base64url'));
	await until('the link has expired', () => Date.now() > exp * 1000);
	const expired = await ask('Upload it once more', { threadId });
	assert.match(expired.error.message, /^Task not done: The link to "invoice\.txt" does not work: 400 .*jwt expired/);
	const changed = await ask(body.query.replace(/signed\?token=\S/g, 'signed?token=x'));
	assert.match(changed.error.message, /^Task not done: The link to "invoice\.txt" does not work: 400 /);
	assert.deepEqual([expired.status, changed.status], ['error', 'error']);
	for (const { error } of [expired, changed]) assert.doesNotMatch(JSON.stringify(error), /eyJ[\w-]+\.eyJ/);
});
