/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

// A clone on a machine that has Node and npm and nothing else, where npm reaches no registry.
const root = path.resolve(__dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'clone-'));
const clone = path.join(folder, 'clone');
const bin = path.join(folder, 'bin');

beforeAll(() => {
	const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
	for (const file of tracked.filter((name) => existsSync(path.join(root, name))))
		cpSync(path.join(root, file), path.join(clone, file));
	mkdirSync(bin);
	writeFileSync(path.join(bin, 'npm'), '#!/bin/sh\necho no registry here >&2\nexit 1\n', { mode: 0o755 });
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a command line of a shell in the clone. */
function inClone(command: string) {
	const isOwn = ([name]: [string, unknown]) => !/^(npm_|NODE_|JEST_)/.test(name);
	const PATH = [bin, path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
	const env = { ...Object.fromEntries(Object.entries(process.env).filter(isOwn)), FORCE_COLOR: '0', PATH };
	const { stdout, stderr, status } = spawnSync(command, { cwd: clone, env, shell: true, encoding: 'utf8' });
	return { stdout, output: stdout + stderr, status };
}

it('no folder above the clone has packages that it could use by accident', () => {
	for (let above = clone; above !== path.dirname(above); above = path.dirname(above))
		expect(existsSync(path.join(above, 'node_modules'))).toBe(false);
});

it('the demo reaches its first step, and says that the registry is missing', () => {
	const { stdout, output, status } = inClone('node demo/run.mjs');
	expect(stdout).toMatch(/^\[ +\d\.\d s\] Packages of the repository \.\.\.\n/);
	expect(output).toContain('no registry here');
	expect(output).toContain('\nThe demo stopped: the packages of the repository were not installed.\n');
	expect(output).toMatch(/\nWhat to do: check the connection to the npm registry \(npm ping\), .+\n$/);
	expect(output).not.toMatch(/^ +at /m);
	expect(status).toBe(1);
});
