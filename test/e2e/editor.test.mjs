// Both nodes and their credential in the editor of a real n8n, as a person works with it: found, filled in, run and read,
// in a headless Chromium. A test that fails leaves pictures in test/e2e/screenshots; with --docs (npm run screenshots) those
// that the documentation shows are made anew in docs/.
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { root } from '../../demo/lib/paths.mjs';
import { launchChromium, openEditor } from './editor.mjs';
import { example } from './instance.mjs';
import { assertRow } from './rows.mjs';
import { n8n, names, types } from './shared.mjs';

const PACKAGE = 'n8n-nodes-browser-automation';
const BROWSER = 'Browser Automation';
const RUN = 'Run Automation';
const TYPES = { [BROWSER]: `${PACKAGE}.browserAutomation`, [RUN]: `${PACKAGE}.runAutomation` };
const folder = join(root, 'test', 'e2e', 'screenshots');
const forDocs = process.argv.includes('--docs');

rmSync(folder, { recursive: true, force: true });
const browser = await launchChromium();
after(async () => await browser.close());
const editor = await openEditor(browser, { ...n8n, folder });
const dark = await openEditor(browser, { ...n8n, folder, theme: 'dark' });

/** Like `it`, with a picture of the page if it fails. */
function inEditor(name, body) {
	it(name, async (t) => {
		try {
			await body(t);
		} catch (error) {
			for (const [theme, page] of Object.entries({ light: editor, dark })) {
				await page.shoot(`failed ${name.replace(/\W+/g, '-')} ${theme}`).catch(() => undefined);
			}
			throw error;
		}
	});
}

/** A picture for the documentation, made only when it is asked for. */
async function shootForDocs(page, name, options) {
	if (forDocs) await page.shoot(name, { folder: join(root, 'docs'), ...options });
}

const credentials = { browserAutomationApi: { id: 'browserAutomation', name: 'Browser Automation' } };
const to = (node) => ({ node, type: 'main', index: 0 });

/**
 * Stores a workflow in which a trigger leads to some nodes of the package, and each of them to a node named after it.
 *
 * @param {{ name: string, node: string, parameters?: object }[]} nodes
 * @returns {Promise<string>} its id
 */
async function workflowOf(title, nodes) {
	const trigger = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
	const own = nodes.map(({ name, node, parameters = {} }, index) => ({
		...{ name, type: TYPES[node], typeVersion: 1, parameters, credentials, position: [250, index * 180] },
		id: `own-${index}`,
	}));
	const next = nodes.map(({ name }, index) => ({
		...{ name: `After ${name}`, type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} },
		...{ id: `next-${index}`, position: [500, index * 180] },
	}));
	const { id } = await n8n.createWorkflow({
		name: title,
		nodes: [{ ...trigger, id: 'trigger', position: [0, 0] }, ...own, ...next],
		connections: {
			Start: { main: [nodes.map(({ name }) => to(name))] },
			...Object.fromEntries(nodes.map(({ name }) => [name, { main: [[to(`After ${name}`)]] }])),
		},
		settings: { executionOrder: 'v1' },
	});
	return id;
}

/** Opens the form of a node that stands alone in a workflow. */
async function openAlone(page, name, node, parameters) {
	await page.openWorkflow(await workflowOf(name, [{ name, node, parameters }]));
	await page.openNode(name);
}

if (forDocs) {
	for (const name of names) {
		it(`pictures the canvas of ${name}`, async () => {
			await editor.openWorkflow(example(name).id);
			await editor.fitCanvas();
			await shootForDocs(editor, `examples/${name}`, { clip: await editor.workflowArea() });
		});
	}
}

const typeOf = (node) => types.find(({ name }) => name === TYPES[node]);

const operationsOf = ({ properties }) => properties.filter(({ name }) => name === 'operation');

inEditor('both nodes are found by a search, with all their actions, and added to a workflow', async () => {
	await editor.newWorkflow();
	await editor.searchNodes('manual trigger');
	await editor.pick('Manual Trigger');
	await editor.nodeOnCanvas('When clicking ‘Execute workflow’').waitFor();

	for (const [node, first] of [
		[BROWSER, 'Search web'],
		[RUN, 'Run automation and get result'],
	]) {
		await editor.searchNodes('browser automation');
		const found = await editor.namesListedWith(node);
		assert.deepEqual(found.slice(0, 2), [BROWSER, RUN]);
		await editor.pick(node);
		const listed = await editor.namesListedWith(first);
		const actions = operationsOf(typeOf(node)).flatMap(({ options }) => options.map(({ action }) => action));
		// The list before may still be on its way out.
		const shown = listed.filter((name) => ![BROWSER, RUN].includes(name));
		assert.deepEqual(shown, actions);
		await editor.pick(first);
		await editor.at('node-parameters').waitFor();
		await editor.closeNode();
	}
	await editor.fitCanvas();
	// n8n names a node after its action if it has resources.
	for (const name of ['Search web', RUN]) await editor.nodeOnCanvas(name).waitFor();

	const [{ options, default: first }] = operationsOf(typeOf(RUN));
	assert.equal(options[0].value, first);
});

inEditor('columns are typed into the form, and the rows of a run become rows of a Data Table', async () => {
	const tables = `/projects/${(await n8n.call('GET', '/projects/personal')).id}/data-tables`;
	const columns = [
		['name', 'string', 'Text', 'Full name of the offer'],
		['price', 'number', 'Number', 'Price in euros'],
		['link', 'string', 'Text', 'Address of the page of the offer'],
	];
	const { id: tableId } = await n8n.call('POST', tables, {
		name: 'Typed offers',
		columns: columns.map(([name, type]) => ({ name, type })),
	});
	const workflow = example('scrape-into-table');
	const own = workflow.nodes.find(({ name }) => name === RUN);
	own.parameters = { operation: 'rows' };
	workflow.nodes.find(({ name }) => name === 'Save Offers').parameters.dataTableId.value = 'Typed offers';
	await editor.openWorkflow((await n8n.createWorkflow(workflow)).id);

	await editor.openNode(RUN);
	await editor.fill('query', CHEAPEST);
	for (const [index, [name, , type, description]] of columns.entries()) {
		if (index > 0) await editor.addColumn();
		await editor.fill('name', name, index);
		if (type !== 'Text') await editor.choose('type', type, index);
		await editor.fill('description', description, index);
	}
	// This leaves the last field, and begins at the top.
	await editor.openSettings();
	await editor.openParameters();
	await shootForDocs(editor, 'rows-form', { of: editor.at('node-parameters'), height: 1500 });
	await editor.executeStep();
	await editor.showOutputAs('table');
	await shootForDocs(editor, 'rows', { of: editor.at('ndv'), height: 560 });
	const rows = await editor.output();
	assert.deepEqual(
		rows.map(({ price }) => price),
		[4.2, 6.5, 7.25],
	);
	await editor.closeNode();
	await editor.executeWorkflow();
	await editor.succeeded('Save Offers');
	await editor.fitCanvas();
	await shootForDocs(editor, 'workflow', { clip: await editor.workflowArea() });
	const { data } = await n8n.call('GET', `${tables}/${tableId}/rows`);
	assert.deepEqual(
		data.map(({ name, price, link }) => ({ name, price, link })),
		rows,
	);
});

inEditor('each node has its own icon in the light and in the dark theme', async () => {
	const id = await workflowOf('Icons', [
		{ name: 'A', node: BROWSER },
		{ name: 'B', node: RUN },
	]);
	for (const [page, ending] of [
		[editor, 'svg'],
		[dark, 'dark.svg'],
	]) {
		await page.openWorkflow(id);
		await page.searchNodes('browser automation');
		await page.namesListedWith(BROWSER);
		await page.namesListedWith(RUN);
		const places = [
			page.nodeOnCanvas('A'),
			page.nodeOnCanvas('B'),
			...[0, 1].map((index) => page.at('item-iterator-item', page.at('node-creator')).nth(index)),
		];
		for (const [index, place] of places.entries()) {
			const { src, width } = await page.loadedImage(place.locator('img').first());
			const mark = ['browser', 'run'][index % 2];
			assert.equal(src, `${n8n.url}/icons/${PACKAGE}/dist/icons/${mark}-automation.${ending}`);
			assert.ok(width > 0);
		}
	}
});

/**
 * Saves the open credential with a wrong secret, which n8n must show as wrong, then with the right one, which n8n must
 * show as right, and not give back to the browser.
 */
async function tryCredential(parameter, { wrong, reason, right, further }) {
	for (const [name, value] of Object.entries(further)) await editor.fill(name, value);
	await editor.fill(parameter, wrong);
	await editor.saveCredential();
	await editor.credentialDialog.getByText('More details').click();
	await editor.credentialDialog.getByText(reason).first().waitFor();

	await editor.fill(parameter, right);
	await editor.saveCredential();
	await editor.credentialDialog.waitFor({ state: 'hidden' });
	await editor.editCredential();
	await editor.at('credentials-config-container-test-success').waitFor();
	const field = editor.parameter(parameter).locator('input');
	assert.equal(await field.getAttribute('type'), 'password');
	const value = await field.inputValue();
	assert.ok(value !== '' && !value.includes(right), `${parameter} comes back to the browser`);
	if (parameter === 'apiKey') await shootForDocs(editor, 'credential', { of: editor.credentialDialog });
	await editor.closeCredential();
}

inEditor('a credential is made in the editor: a wrong key is red with the reason, the right one green', async () => {
	const { baseUrl, automationUrl, apiKey } = n8n.service;
	await openAlone(editor, 'Key', RUN);
	await editor.newCredential();
	const further = { baseUrl, automationUrl };
	await tryCredential('apiKey', { wrong: 'a-wrong-key', reason: /not accept this API key/i, right: apiKey, further });
	assert.equal(n8n.service.starts.length, 0, 'the test of the credential started a run');
});

inEditor('a user name and a password are chosen as the way to log in, and made a credential', async () => {
	const { baseUrl, user } = n8n.service;
	await openAlone(editor, 'Password', BROWSER, { resource: 'web', operation: 'search', searchQuery: 'library hours' });
	await editor.newCredential();
	const ways = await editor.waysToLogIn();
	assert.equal(await ways.count(), 2);
	await ways.filter({ hasText: /password/i }).click();
	const further = { username: user.username, baseUrl };
	const reason = 'Incorrect user name or password';
	await tryCredential('password', { wrong: 'a-wrong-password', reason, right: user.password, further });

	await editor.executeStep();
	assert.equal((await editor.output()).length, 3);
	await editor.choose('resource', 'Automation Run');
	await editor
		.at('node-parameters')
		.getByText(/API key/)
		.first()
		.waitFor();
});

const quick = { query: 'quick hello' };
const CHEAPEST = 'Find the three cheapest offers on the example shop';
const COOKIE = { name: 'sid', value: '1', domain: 'example.com', path: '/', httpOnly: true };
const STORED = [{ origin: 'https://a.example', localStorage: [{ name: 'theme', value: 'dark' }] }];
const page = 'https://app.example.com';
const LINKS = { successRedirectUri: `${page}/ok`, errorRedirectUri: `${page}/not-ok`, allowedOrigin: page };

/**
 * Every operation by its title: the texts that a person fills in, by the names of the parameters, what is found in the
 * output panel, and the hint there. What each of them sends is in test/contract.
 */
const operations = {
	'Automation Run Start': [quick, /"status":"started"/],
	'Mailbox Create Connect Link': [LINKS, /app\/mailbox\/mailbox-2\?token=connect/],
	'Mailbox Delete': [{ mailboxId: 'mailbox-1' }, /"deleted":true/],
	'Payment Connect Wallet': [{}, /amber-harbor-violin/, /^Test mode/],
	'Profile Set Cookies': [
		{ profileId: 'profile-1', cookiesJson: JSON.stringify({ cookies: [COOKIE], origins: STORED }) },
		/"message":"1 cookies set"/,
		/does not accept localStorage/,
	],
	'Secret Delete': [{ id: 'sec_1' }, /"deleted":true/],
	// Not hidden in this version of n8n, although the node marks it as sensitive. Once it is: say so in the README.
	'Secret Get': [{ name: 'MODEL_KEY' }, /value-of-model-key/, /open this execution.*\{\{ \$json\.value \}\}/],
	'Session Get Replay': [{ sessionId: 'session-1' }, /#EXTM3U.*recording\.mp4/],
	'Session Get Script': [{ sessionId: 'session-1' }, /with Session\(\)/],
	'Web Search': [{ searchQuery: 'library hours' }, /Result 3 for library hours/],
	'Run and Get Result': [quick, /"text":"Done: hello\."/],
	'Run and Get Rows': [{ query: CHEAPEST, name: 'name' }, /^\[\{"name":"[^"]+"\}(,\{"name":"[^"]+"\}){2}\]$/],
	'Run and Get Raw Output': [quick, /"parts":.*"Done: hello\."/],
	'Start in Background': [quick, /"status":"started"/, /background/],
};

const nodeOf = (title) => (/^(Run and|Start in)/.test(title) ? RUN : BROWSER);

/** The operations that n8n knows by their titles, with the names of resource and operation, and the file of their schema. */
function knownOperations() {
	const known = {};
	for (const node of [BROWSER, RUN]) {
		const type = typeOf(node);
		const resources = type.properties.find(({ name }) => name === 'resource')?.options ?? [];
		for (const { displayOptions, options } of operationsOf(type)) {
			const resource = resources.find(({ value }) => displayOptions?.show.resource.includes(value));
			for (const { name, value } of options) {
				const title = [resource?.name, name].filter(Boolean).join(' ');
				const schema = [resource?.value, value].filter(Boolean).join('/');
				known[title] = { resource: resource?.name, operation: name, schema: `${schema}.json` };
			}
		}
	}
	return known;
}

it('every operation of both nodes is filled in below', () => {
	assert.deepEqual(Object.keys(operations).sort(), Object.keys(knownOperations()).sort());
});

/** Fields that only a run which is not complete has. */
const IF_INCOMPLETE = ['approvals', 'reason'];

/** Rows have the columns of the user, and raw output has three forms: there is no schema for either. */
const hasSchema = (title) => !['Run and Get Rows', 'Run and Get Raw Output'].includes(title);

let everyOperation;

for (const [title, [texts, shows, hint]] of Object.entries(operations)) {
	inEditor(`${title} is filled in, run, and read in the output panel`, async () => {
		const node = nodeOf(title);
		if (!everyOperation) {
			const nodes = Object.keys(operations).map((name) => ({ name, node: nodeOf(name) }));
			everyOperation = await workflowOf('Every operation', nodes);
			await editor.openWorkflow(everyOperation);
		}
		await editor.openNode(title);
		const { resource, operation, schema } = knownOperations()[title];
		if (resource) await editor.choose('resource', resource);
		await editor.choose('operation', operation);
		if (title === 'Secret Get') await editor.choose('namespace', 'LLM Provider');
		for (const [parameter, text] of Object.entries(texts)) await editor.fill(parameter, text);
		await editor.executeStep();

		assert.deepEqual([n8n.service.requests.length, n8n.service.violations], [1, []]);
		const items = await editor.output();
		assert.match(JSON.stringify(items), shows);
		if (hasSchema(title)) {
			const fields = Object.keys(readSchema(node, schema).properties).filter((name) => !IF_INCOMPLETE.includes(name));
			assert.deepEqual(Object.keys(items[0]).sort(), fields.sort());
		}
		const shown = await editor.hints();
		assert.equal(shown.length, hint ? 1 : 0, shown.join('\n'));
		if (hint) assert.match(shown[0], hint);
	});
}

const schemaFolder = (node) => join(root, 'nodes', node.replace(' ', ''), '__schema__', 'v1.0.0');
const readSchema = (node, file) => JSON.parse(readFileSync(join(schemaFolder(node), file), 'utf8'));

inEditor('the fields of a node that has not run yet are shown to the node after it', async () => {
	const previews = [
		{ name: 'Wallet', node: BROWSER, parameters: { resource: 'payment', operation: 'connectWallet' } },
		{ name: 'Result', node: RUN, parameters: { operation: 'result' } },
	];
	await editor.openWorkflow(await workflowOf('Previews', previews));
	for (const { name, node, parameters } of previews) {
		const schema = `${Object.values(parameters).join('/')}.json`;
		await editor.openNode(`After ${name}`);
		const shown = await editor.previewedFields();
		const missing = Object.keys(readSchema(node, schema).properties).filter((field) => !shown.includes(field));
		assert.deepEqual(missing, []);
	}
	assert.equal(n8n.service.requests.length, 0);
});

inEditor('Retry On Fail, switched on in the editor, starts a run again only if it was refused', async () => {
	await openAlone(editor, 'Run', RUN, { query: 'failed the thing' });
	await editor.openSettings();
	await editor.toggle('retryOnFail');
	await editor.fill('waitBetweenTries', '100');
	await editor.executeStep();
	const { message, description } = await editor.error();
	const { length, 0: start } = n8n.service.starts;

	n8n.service.reset();
	await editor.openParameters();
	await editor.fill('query', 'status 429');
	await editor.startStep();
	await n8n.service.waitForStart(3);
	await editor.outputPanel.getByText('Status 429 as asked').first().waitFor();
	const seen = { tries: n8n.service.starts.length, starts: length, shown: `${message}. ${description}` };
	assertRow('Set in the editor, a run fails', { ...seen, threadId: start.threadId });
	assert.deepEqual([length, n8n.service.starts.length], [1, 3]);
});

inEditor('the chat shows what the agent does during the run, and the next message continues the thread', async () => {
	const chat = example('chat-with-follow-ups');
	const nodes = chat.nodes.filter(({ type }) => !type.endsWith('.stickyNote'));
	const { id } = await n8n.createWorkflow({ ...chat, nodes });
	await editor.openWorkflow(id);
	await editor.openChat();
	await editor.fitCanvas();
	await editor.say('Find the three cheapest offers on the example shop');
	await editor.chat.getByText('Tool: openPage').first().waitFor();
	await editor.chat
		.getByText(/^The page is open, now the next one\.$/)
		.first()
		.waitFor();
	await shootForDocs(editor, 'chat');
	await editor.succeeded('Remember Thread');

	await editor.say('slow 3');
	const second = await n8n.service.waitForStart(2);
	await editor.chat.getByText(/tick-1 tick-2 tick-3/).waitFor();
	const early = await editor.chat.innerText();
	assert.equal(second.outcome, undefined, 'the run had ended');
	assert.ok(!early.includes('tick-15'), early);
	await editor.chat.getByText(/tick-1 .* tick-15/).waitFor();
	assert.equal(second.body.thread_id, n8n.service.starts[0].threadId);
});
