// npm run demo: Run Automation of examples/scrape-into-table.json on n8n's engine, against the mock service; prints the rows.
// npm run demo -- --editor [--port N]: a real n8n that executes the whole workflow once, with its editor, until Ctrl-C.
// npm run dev [-- --port N]: the same without the execution, and n8n loads the nodes anew after each change of their sources.
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { makeUserFolder, startEngine, TEST } from './lib/engine.mjs';
import { credentialFor, printRows, run, save, workflow } from './lib/example.mjs';
import { DemoError, printFailure } from './lib/failure.mjs';
import { checkNode, installBoth } from './lib/install.mjs';
import { owner, setUpOwner, startN8n } from './lib/n8n.mjs';
import { buildPackage, installPackage, rebuildOnChange } from './lib/package.mjs';
import { home, root } from './lib/paths.mjs';
import { freePort, portTaken, stopAll, stopAllOnSignals, wasInterrupted } from './lib/processes.mjs';
import { step } from './lib/progress.mjs';
import { startService } from './lib/service.mjs';
import { logIn, LOOK } from './lib/session.mjs';

const OPTIONS = { editor: { type: 'boolean' }, dev: { type: 'boolean' }, port: { type: 'string' } };
const EDITOR_PORT = 5678;

async function main() {
	checkNode();
	const options = readOptions();
	if (options.editor) await showInEditor(options);
	else await showInTerminal();
}

/** Needs the packages of the repository only: no n8n, no compiler. */
async function showInTerminal() {
	await installBoth(true, false);
	const userFolder = makeUserFolder();
	const engine = startEngine(userFolder);
	const service = await startWithPackage('Packing the nodes, starting the mock service', userFolder);
	const items = await step(`Executing "${run.name}" of "${workflow.name}" on n8n's engine`, async ({ doing }) => {
		doing('showing what the agent does', 'a few seconds');
		const options = { ...run.parameters.options, live: ['data', 'text', 'tools'] };
		const node = { ...run, parameters: { ...run.parameters, options } };
		return await engine.run(node, credentialFor(service), (text) => process.stdout.write(text));
	});
	printRows(items, run, TEST);
	console.log(
		"\nTo open the workflow in n8n's editor, run npm run demo -- --editor (4 GB, five to ten minutes the first time).",
	);
}

async function showInEditor({ port: wanted, dev }) {
	const installation = await installBoth();
	const service = await startWithPackage('Installing the nodes in n8n, starting the mock service', home);
	const port = await editorPort(wanted);
	const env = dev ? { N8N_DEV_RELOAD: 'true' } : undefined;
	const n8n = await step('Starting n8n', ({ doing }) => {
		doing('waiting until its editor can be used', '10 to 60 seconds');
		return startN8n({ installation, userFolder: home, port, env });
	});
	const session = await step(`Storing the credential and the workflow "${workflow.name}"`, () => prepare(n8n, service));
	if (!dev) await executeOnce(session);
	await openEditor(n8n, service, dev);
}

/** Starts the mock service while the package is built and installed in a user folder of n8n. */
async function startWithPackage(title, userFolder) {
	return await step(title, async ({ doing, note }) => {
		doing('building the nodes', 'less than half a minute');
		const [started, installed] = await Promise.all([startService(), buildAndInstall(userFolder)]);
		note(installed);
		return started;
	});
}

async function buildAndInstall(userFolder) {
	// Other tests may be reading what is built.
	if (!process.env.E2E_PACKAGE_IS_BUILT) await buildPackage();
	return await installPackage(userFolder);
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
async function prepare({ url }, service) {
	await setUpOwner(url);
	const session = await logIn(url);
	const [[type, { name }]] = Object.entries(run.credentials);
	const id = await session.storeCredential({ name, type, data: credentialFor(service) });
	const nodes = workflow.nodes.map((node) => (node === run ? { ...run, credentials: { [type]: { id, name } } } : node));
	await session.storeWorkflow({ ...workflow, nodes });
	return session;
}

/** Executes the stored workflow, and prints the items of the node that saves the rows. */
async function executeOnce(session) {
	const items = await step('Executing the workflow', async () => {
		const { error, runData, lastNodeExecuted } = await session.ended(await session.start(workflow.id));
		if (error) {
			throw new DemoError(`the workflow stopped at "${error.node?.name ?? lastNodeExecuted}".`, {
				output: [error.message, error.description].filter(Boolean).join('\n'),
				next: LOOK,
			});
		}
		return runData[save.name]?.flatMap(({ data }) => data?.main?.[0] ?? []) ?? [];
	});
	printRows(items, save, LOOK);
	const table = save.parameters.dataTableId.value;
	console.log(`\nThe rows are in the Data Table "${table}" of the n8n in ${relative(root, home)}.`);
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
