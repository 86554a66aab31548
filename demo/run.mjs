// npm run demo: a real n8n executes examples/scheduled-run.json against the stand-in service and shows the items.
// npm run demo -- --editor [--port N]: the same n8n with its editor, until Ctrl-C.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DemoError, printFailure } from './lib/failure.mjs';
import { installN8n, installRoot } from './lib/install.mjs';
import { executeWorkflow, importCredentials, importWorkflow, owner, setUpOwner, startN8n } from './lib/n8n.mjs';
import { buildPackage, installPackage } from './lib/package.mjs';
import { home, root } from './lib/paths.mjs';
import { freePort, portTaken, stopAll, stopAllOnSignals, wasInterrupted } from './lib/processes.mjs';
import { step } from './lib/progress.mjs';
import { startService } from './lib/service.mjs';
import { storedIn } from './lib/stored.mjs';

const EDITOR_PORT = 5678;
const workflow = JSON.parse(readFileSync(join(root, 'examples', 'scheduled-run.json'), 'utf8'));

async function main() {
	const options = readOptions();

	await step('Packages of the repository', installRoot);
	const installation = await step('n8n (the first time: three to five minutes, 3 GB)', installN8n);
	const n8n = { installation, userFolder: home };
	const service = await step('Installing the nodes in n8n, starting the stand-in service', async (note) => {
		const [started, installed] = await Promise.all([startService(), buildAndInstall()]);
		note(installed);
		return started;
	});
	const credential = credentialFor(service);
	const stored = storedIn(home, [credential, workflow]);
	await step(`Importing the credential and the workflow "${workflow.name}"`, async (note) => {
		if (stored.isUpToDate()) return note('already there');
		await importCredentials(n8n, [credential]);
		await importWorkflow(n8n, workflow);
	});

	if (options.editor) {
		await openEditor(n8n, options.port);
	} else {
		const itemsOf = await step('Executing the workflow', () => executeWorkflow(n8n, workflow.id));
		stored.remember();
		['Run Automation', 'Use the Result'].forEach((name) => printItems(name, itemsOf(name)));
		console.log('\nTo see it in the editor: npm run demo -- --editor');
	}
}

async function buildAndInstall() {
	await buildPackage();
	return await installPackage(home);
}

function readOptions() {
	try {
		const { values } = parseArgs({ options: { editor: { type: 'boolean' }, port: { type: 'string' } } });
		const port = values.port === undefined ? undefined : Number(values.port);
		if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536)) {
			throw new Error(`"${values.port}" is not a port.`);
		}
		return { editor: values.editor ?? false, port };
	} catch (error) {
		throw new DemoError(error.message, { next: 'use npm run demo, or npm run demo -- --editor [--port 5678].' });
	}
}

function credentialFor({ apiKey, baseUrl, automationUrl }) {
	const { type, id, name } = credentialOfWorkflow();
	return { id, name, type, data: { apiKey, baseUrl, automationUrl, allowUnencrypted: false } };
}

/** Which credential the nodes of the workflow refer to. */
function credentialOfWorkflow() {
	const { credentials } = workflow.nodes.find((node) => node.credentials);
	const [[type, { id, name }]] = Object.entries(credentials);
	return { type, id, name };
}

async function openEditor(n8n, wanted) {
	const port = wanted ?? ((await portTaken(EDITOR_PORT)) ? await freePort() : EDITOR_PORT);
	if (wanted && (await portTaken(wanted))) {
		throw new DemoError(`port ${wanted} is taken.`, { next: 'name another one with --port, or leave it out.' });
	}
	const editor = await step('Starting n8n', () => startN8n({ ...n8n, port }));
	await setUpOwner(editor.url);

	console.log(`\nn8n:       ${editor.url}`);
	console.log(`E-mail:    ${owner.email}`);
	console.log(`Password:  ${owner.password}`);
	console.log(`Workflow:  ${editor.url}/workflow/${workflow.id}`);
	console.log('\nThe stand-in service runs too. Ctrl-C stops both.');

	await editor.ended;
	throw new DemoError('n8n ended by itself.', { output: editor.log(), next: 'run this command again.' });
}

function printItems(name, items) {
	if (items.length === 0) {
		throw new DemoError(`the node "${name}" returned no items.`, {
			next: 'start npm run demo -- --editor and look at the execution there.',
		});
	}
	console.log(`\n${name}: ${items.length} ${items.length === 1 ? 'item' : 'items'}\n`);
	for (const { json, binary } of items) {
		console.log(JSON.stringify(json, null, 2));
		for (const [field, { fileName, mimeType, fileSize }] of Object.entries(binary ?? {})) {
			console.log(`Binary field "${field}": ${fileName} (${mimeType}, ${fileSize})`);
		}
	}
}

stopAllOnSignals();
try {
	await main();
} catch (error) {
	if (!wasInterrupted()) printFailure(error);
	process.exitCode = 1;
} finally {
	await stopAll();
}
