/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { readdirSync } from 'node:fs';
import path from 'node:path';

/** The paths of the TypeScript files of the product. */
export const sources = ['nodes', 'credentials']
	.flatMap((folder) =>
		readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file)),
	)
	.filter((file) => file.endsWith('.ts'));
