/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '../..');

/** Copies what a clone would have, with what is new and will be committed. */
export function cloneInto(folder: string): void {
	const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
	const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
	for (const file of files.filter((name) => existsSync(path.join(root, name))))
		cpSync(path.join(root, file), path.join(folder, file));
}

/** The environment of a command that a person types: without what npm, Node and jest set for this one. */
export function typedWith(PATH: string): NodeJS.ProcessEnv {
	const isOwn = ([name]: [string, unknown]) => !/^(npm_|NODE_|JEST_)/.test(name);
	return { ...Object.fromEntries(Object.entries(process.env).filter(isOwn)), FORCE_COLOR: '0', PATH };
}
