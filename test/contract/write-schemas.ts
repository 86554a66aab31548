/* eslint-disable @n8n/community-nodes/no-restricted-imports, no-console -- test code, never shipped */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'prettier';
import { describedSchemas } from './schemas';

/** Writes the output schemas that test/service/openapi.json describes: npm run schemas. */
async function write() {
	for (const { file, schema } of describedSchemas) {
		mkdirSync(path.dirname(file), { recursive: true });
		const options = { parser: 'json', useTabs: true, printWidth: 120 };
		writeFileSync(file, await format(JSON.stringify(schema, null, '\t'), options));
		console.log(file);
	}
}

void write();
