/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { readFileSync } from 'node:fs';
import { describedSchemas, itemSchema } from './schemas';

it('most operations return what the document describes', () => expect(describedSchemas.length).toBeGreaterThan(5));

it.each([true, false])('an operation that splits its list (%s) returns entries or the response', (isSplit) => {
	const field = { displayName: '', name: 'splitIntoItems', type: 'boolean', default: isSplit } as const;
	const entry = { properties: { id: { type: 'string' } } };
	const response = { properties: { events: { type: 'array', items: entry } } };
	expect(itemSchema({ list: 'events', fields: [field] }, response)).toBe(isSplit ? entry : response);
});

it.each(describedSchemas)('$file is what npm run schemas writes', ({ file, schema }) => {
	expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(schema);
});
