import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const windows = process.platform === 'win32';
const PATIENCE_MS = 10_000;
const running = new Set();
let guard;
let interrupted = false;

/** Starts a program in a process group of its own, so that it can be stopped together with what it started. */
export function launch([program, ...args], { cwd, env = process.env } = {}) {
	const child = spawn(program, args, {
		cwd,
		env,
		stdio: ['ignore', 'pipe', 'pipe'],
		detached: !windows,
		windowsHide: true,
	});
	running.add(child);
	guarded(child);

	let output = '';
	let stdout = '';
	child.stdout.setEncoding('utf8').on('data', (text) => {
		stdout += text;
		output += text;
	});
	child.stderr.setEncoding('utf8').on('data', (text) => (output += text));

	const ended = new Promise((resolve) => {
		child.on('error', (error) => {
			output += `${error.message}\n`;
			running.delete(child);
			resolve(127);
		});
		child.on('close', (code, signal) => {
			running.delete(child);
			resolve(code ?? (signal ? 128 : 1));
		});
	});

	return {
		/** The process, and the process group of it and what it started. */
		pid: child.pid,
		/** Everything printed so far. */
		output: () => output,
		/** What was printed to standard output so far. */
		stdout: () => stdout,
		/** Resolves to the exit code. */
		ended,
		/** Asks the program to stop, and kills it if it does not. */
		stop: () => stop(child, ended),
	};
}

/** Runs a program to its end. Returns its exit code, and everything that it printed. */
export async function run(command, options) {
	const program = launch(command, options);
	return { code: await program.ended, output: program.output() };
}

/** The npm that runs this script, or the one in the path, as the beginning of a command for the Node at `node`. */
export function npm(node = process.execPath) {
	const script = process.env.npm_execpath;
	if (script?.endsWith('.js')) return [node, script];
	return windows ? ['cmd', '/c', 'npm'] : ['npm'];
}

/** An environment in which `node` is the Node that scripts find first. */
export function environmentWith(node, extra = {}) {
	const path = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
	return { ...process.env, [path]: [dirname(node), process.env[path]].join(delimiter), ...extra };
}

/** The ports that no system hands out by itself: a free one is still free when a slow program comes to use it. */
const [FIRST_PORT, LAST_PORT] = [10_000, 32_000];

/** Ports that are about to be used. */
const reserved = new Set();

/** A free local port, a different one each time. */
export async function freePort() {
	const port = randomInt(FIRST_PORT, LAST_PORT);
	if (reserved.has(port) || (await portTaken(port))) return await freePort();
	reserved.add(port);
	return port;
}

/** Whether a program already listens on a local port. */
export async function portTaken(port) {
	const server = createServer();
	const taken = await new Promise((resolve) =>
		server.once('error', () => resolve(true)).listen(port, '127.0.0.1', () => resolve(false)),
	);
	if (!taken) await new Promise((resolve) => server.close(resolve));
	return taken;
}

/** Stops every program that was launched and still runs. */
export async function stopAll() {
	await Promise.all([...running].map((child) => stop(child, new Promise((resolve) => child.once('close', resolve)))));
}

/** Stops every program if this one is asked to end, so that Ctrl-C leaves nothing behind. */
export function stopAllOnSignals() {
	for (const [signal, code] of [
		['SIGINT', 130],
		['SIGTERM', 143],
		['SIGHUP', 129],
	]) {
		process.once(signal, () => {
			interrupted = true;
			console.log('\nStopping ...');
			// setImmediate: what waited for those programs tidies up first
			void stopAll().then(() => setImmediate(() => process.exit(code)));
		});
	}
	process.on('exit', () => running.forEach((child) => signalGroup(child, 'SIGKILL')));
}

/** Whether this program was asked to end, so that programs which end now do so because they were stopped. */
export function wasInterrupted() {
	return interrupted;
}

/** Has a program that outlives this process stop the group of a child then: a process that is killed cannot do so itself. */
function guarded(child) {
	// Windows has no process groups, and a child that did not start has no number.
	if (windows || child.pid === undefined) return;
	if (!guard) {
		const script = fileURLToPath(new URL('guard.mjs', import.meta.url));
		guard = spawn(process.execPath, [script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
		guard.unref();
		guard.stdin.unref();
		guard.stdin.on('error', () => {});
	}
	guard.stdin.write(`+${child.pid}\n`);
	child.once('close', () => guard.stdin.write(`-${child.pid}\n`));
}

async function stop(child, ended) {
	if (!running.has(child)) return;
	signalGroup(child, 'SIGTERM');
	const impatience = setTimeout(() => signalGroup(child, 'SIGKILL'), PATIENCE_MS);
	await ended;
	clearTimeout(impatience);
}

function signalGroup(child, signal) {
	try {
		if (windows) child.kill(signal);
		else process.kill(-child.pid, signal);
	} catch {
		// it has ended in the meantime
	}
}
