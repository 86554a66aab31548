// npm run demo: a real n8n executes examples/scrape-into-table.json against the mock service and prints the rows.
// npm run demo -- --editor [--port N]: the same n8n with its editor, until Ctrl-C.
// npm run dev [-- --port N]: the same, and n8n loads the nodes anew after each change of their sources.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { DemoError, printFailure } from './lib/failure.mjs';
import { checkNode, installBoth } from './lib/install.mjs';
import { owner, setUpOwner, startN8n } from './lib/n8n.mjs';
import { buildPackage, installPackage, rebuildOnChange } from './lib/package.mjs';
import { home, root } from './lib/paths.mjs';
import { freePort, portTaken, stopAll, stopAllOnSignals, wasInterrupted } from './lib/processes.mjs';
import { step } from './lib/progress.mjs';
import { startService } from './lib/service.mjs';
import { logIn, LOOK } from './lib/session.mjs';
import { plainTable } from './lib/table.mjs';

const OPTIONS = { editor: { type: 'boolean' }, dev: { type: 'boolean' }, port: { type: 'string' } };
const EDITOR_PORT = 5678;
const workflow = JSON.parse(readFileSync(join(root, 'examples', 'scrape-into-table.json'), 'utf8'));
const run = workflow.nodes.find(({ name }) => name === 'Run Automation');
const save = workflow.nodes.find(({ name }) => name === 'Save Books');

async function main() {
	checkNode();
	const options = readOptions();

	const installation = await installBoth();
	const service = await step('Installing the nodes in n8n, starting the mock service', async (progress) => {
		progress.doing('building the nodes', 'less than half a minute');
		const [started, installed] = await Promise.all([startService(), buildAndInstall()]);
		progress.note(installed);
		return started;
	});
	const port = options.editor ? await editorPort(options.port) : undefined;
	const env = options.dev ? { N8N_DEV_RELOAD: 'true' } : undefined;
	const n8n = await step('Starting n8n', ({ doing }) => {
		doing('waiting until its editor can be used', '10 to 60 seconds');
		return startN8n({ installation, userFolder: home, port, env });
	});
	const session = await step(`Storing the credential and the workflow "${workflow.name}"`, () => prepare(n8n, service));

	if (options.editor) return await openEditor(n8n, service, options.dev);
	printRows(await step('Executing the workflow', () => execute(session)));
}

async function buildAndInstall() {
	// Other tests may be reading what is built.
	if (!process.env.E2E_PACKAGE_IS_BUILT) await buildPackage();
	return await installPackage(home);
}

function readOptions() {
	try {
		const { values } = parseArgs({ options: OPTIONS });
		const port = values.port === undefined ? undefined : Number(values.port);
		if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536)) {
			throw new Error(`"${values.port}" is not a port.`);
		}
		const dev = values.dev ?? false;
		return { dev, editor: values.editor ?? dev, port };
	} catch (error) {
		throw new DemoError(error.message, { next: 'use npm run demo, or npm run demo -- --editor [--port 5678].' });
	}
}

async function editorPort(wanted) {
	if (wanted && (await portTaken(wanted))) {
		throw new DemoError(`port ${wanted} is taken.`, {
			next: 'choose another port with --port, or leave the option out.',
		});
	}
	return wanted ?? ((await portTaken(EDITOR_PORT)) ? await freePort() : EDITOR_PORT);
}

/** Stores the workflow of the example in n8n, with everything that it needs. */
async function prepare({ url }, { apiKey, baseUrl, automationUrl }) {
	await setUpOwner(url);
	const session = await logIn(url);
	const [[type, { name }]] = Object.entries(run.credentials);
	const data = { apiKey, baseUrl, automationUrl, allowUnencrypted: false };
	const id = await session.storeCredential({ name, type, data });
	const nodes = workflow.nodes.map((node) => (node === run ? { ...run, credentials: { [type]: { id, name } } } : node));
	await session.storeWorkflow({ ...workflow, nodes });
	return session;
}

/** Executes the workflow, and returns the items of the node that saves the rows. */
async function execute(session) {
	const { error, runData, lastNodeExecuted } = await session.ended(await session.start(workflow.id));
	if (error) {
		throw new DemoError(`the workflow stopped at "${error.node?.name ?? lastNodeExecuted}".`, {
			output: [error.message, error.description].filter(Boolean).join('\n'),
			next: LOOK,
		});
	}
	return runData[save.name]?.flatMap(({ data }) => data?.main?.[0] ?? []) ?? [];
}

function printRows(items) {
	if (items.length === 0) {
		throw new DemoError(`the node "${save.name}" returned no items.`, { next: LOOK });
	}
	console.log(`\nThe task: ${run.parameters.query}\n`);
	const names = run.parameters.columns.column.map(({ name }) => name);
	const rows = items.map(({ json }) => json);
	console.log(plainTable(rows, names));
	const table = save.parameters.dataTableId.value;
	console.log(`\nThe rows are in the Data Table "${table}" of the n8n in ${relative(root, home)}.`);
	console.log('To see them in the editor: npm run demo -- --editor');
}

async function openEditor(n8n, service, dev) {
	console.log(`\nn8n:            ${n8n.url}`);
	console.log(`Email:          ${owner.email}`);
	console.log(`Password:       ${owner.password}`);
	console.log(`Workflow:       ${n8n.url}/workflow/${workflow.id}`);
	console.log(`\nThe mock service (the credential is already in n8n):\n\n${service.about().trimEnd()}`);
	if (dev) {
		rebuildOnChange(home, (text) => console.log(text));
		console.log('\nn8n loads the nodes again after each change in nodes/, credentials/ and icons/.');
	}
	console.log('\nCtrl-C stops n8n and the mock service.');

	await n8n.ended;
	throw new DemoError('n8n stopped unexpectedly.', { output: n8n.log(), next: 'run this command again.' });
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
