/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { readFileSync } from 'node:fs';
import { describedSchemas } from './schemas';

it('most operations return what the document describes', () => {
	expect(describedSchemas.length).toBeGreaterThan(5);
});

it.each(describedSchemas)('$file is what npm run schemas writes', ({ file, schema }) => {
	expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(schema);
});
