/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { readFileSync } from 'node:fs';

const columnsInSchema: any = () => {
	throw new Error('gone');
};
import { readJson } from '../../nodes/shared/values/json';

// The reference lists what each keyword of a schema does, and the node does it: each keyword one thing.

const reference = readFileSync('docs/reference.md', 'utf8');

/** The keywords of the row whose effect begins with these words. */
function keywordsOf(effect: string): string[] {
	const row = reference.split('\n').find((line) => line.includes(`| ${effect}`)) ?? '';
	const [, keywords = ''] = row.split('|');
	return [...keywords.matchAll(/`([\w$]+)`/g)].map(([, keyword]) => keyword!);
}

const TOLD = keywordsOf('Sent to the agent, not checked').filter((keyword) => keyword !== 'properties');
const REJECTED = keywordsOf('Rejected, with keyword and path').filter(
	(keyword) => !/^(?:items|required|\$ref)$/.test(keyword),
);
const CHECKED = keywordsOf('Checked');

/** Columns of an object whose property `a` has a schema with this keyword. */
function read(keyword: string) {
	const value = { enum: [1], format: 'x', required: ['b'] }[keyword] ?? { type: 'string' };
	const a = { type: keyword === 'enum' ? 'number' : 'object', [keyword]: value };
	const schema = JSON.stringify({ type: 'object', properties: { a } });
	return columnsInSchema(readJson(schema).json!, 'It');
}

it.each(TOLD)('%s is sent to the agent and counted', (keyword) => {
	const { columns, unchecked } = read(keyword);
	expect(columns[0]!.description).toMatch(new RegExp(`^\\(${keyword}: .*\\)$`));
	expect(unchecked).toEqual([`${keyword} of a`]);
});

it.each(REJECTED)('%s is rejected by its name', (keyword) => {
	expect(() => read(keyword)).toThrow(`It has an unsupported '${keyword}' for "a"`);
});

it('each keyword has one effect', () => {
	expect([TOLD.length, REJECTED.length, CHECKED.length].every((count) => count > 5)).toBe(true);
	const partly = ['enum', 'format', 'properties', 'required'];
	const all = [...TOLD, ...REJECTED, ...CHECKED].filter((keyword) => !partly.includes(keyword));
	expect(all).toEqual([...new Set(all)]);
});
