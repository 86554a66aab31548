/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import { readFileSync } from 'node:fs';
import type { ICredentialTestRequest, INodeProperties, INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';

import { quotedLabel } from '../../nodes/shared/form/fields';
import { optionFields } from '../../nodes/RunAutomation/form/options';
import { QUOTED_LIMITS } from '../../nodes/shared/failure/limits';
import { credentialTypes as credentials, nodeTypes } from '../support/registered';
import { sources } from '../support/sources';

/** The texts in the code: literals of more than one word. */
function textsIn(file: string): string[] {
	const code = readFileSync(file, 'utf8').replace(/^\s*(\/\/|\/?\*).*$/gm, '');
	const literals = code.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`\n]*)`/g);
	return [...literals].map(([, ...text]) => text.join('')).filter((text) => /[a-z] [a-z]/i.test(text));
}

type Entry = Partial<INodeProperties> & { values?: Entry[]; action?: string };

/** Every field, option and value of a form, with those inside collections. */
const everything = (entries: readonly unknown[]): Entry[] =>
	(entries as Entry[]).flatMap((entry) => [
		entry,
		...everything([...((entry.options as unknown[]) ?? []), ...(entry.values ?? [])]),
	]);

const nodes = nodeTypes.map(({ description }) => description);
const entries = everything([...nodes, ...credentials].flatMap(({ properties }) => properties));
const rulesOf = ({ rules = [] }: ICredentialTestRequest) => rules.map(({ properties }) => properties.message);
const messages = credentials.flatMap(({ test }) => rulesOf(test!));

/** One sentence with a full stop at its end. "e.g." and the dot in a file name end no sentence. */
const isOneSentenceWithStop = (text = '') => /\.$/.test(text) && !/[.!?] /.test(text.replace(/e\.g\. /g, ''));

const said = entries.flatMap(({ description, hint }) => [description ?? [], hint ?? []].flat());

it('no text has a full stop after a single sentence', () => {
	expect([...said, ...messages].filter(isOneSentenceWithStop)).toEqual([]);
});

it('no error or advice, to which other sentences are added, ends with a full stop', () => {
	// The descriptions of a form are whole sentences.
	const shared = sources.filter((file) => file.includes('nodes/shared/') && !file.endsWith('form/fields.ts'));
	expect(shared.length).toBeGreaterThan(20);
	expect([...shared.flatMap(textsIn), ...messages].filter((text) => /[^.]\.$/.test(text!))).toEqual([]);
});

const labels = new Set(entries.filter(({ type }) => type !== 'notice').map((one) => one.displayName ?? one.name!));
const OF_N8N = ['Error data', 'On Error', 'Retry On Fail', 'Continue (using error output)'];
/** A sentence without the names and values in it, without the name of a standard, and without what the web console calls an ID. A quote begins after a blank, unlike an apostrophe. */
const withoutQuotes = (text: string) =>
	text.replace(/(?<!\w)'[^']+'|a Session ID from the web console|a JSON Schema|"[^"]+"|=error\b|\$\{[^}]*\}/g, '…');
const builderHints = JSON.stringify([...nodes, ...entries].map((one) => one.builderHint));

/** The sentences that a person reads: literals that are neither a label nor for n8n's AI workflow builder. */
const sentences = sources
	// The words of an agent and of a service, not ours.
	.filter((file) => !/(not-done|reason)\.ts$/.test(file))
	.flatMap(textsIn)
	.filter((text) => !labels.has(text) && !builderHints.includes(JSON.stringify(text).slice(1, -1)));

it('every label of several words stands in single quotes in a sentence', () => {
	expect(sentences.length).toBeGreaterThan(300);
	const names = [...labels, ...OF_N8N].filter((label) => / /.test(label));
	const patterns = names.map((name) => new RegExp(`\\b${name.replace(/[()]/g, '\\$&')}\\b(?!:)`));
	expect(sentences.filter((text) => patterns.some((bare) => bare.test(withoutQuotes(text))))).toEqual([]);
	expect(sentences.filter((text) => /<(i|em|b)>/.test(text))).toEqual([]);
});

it('no sentence says error, problem, failure or mistake, except as a name', () => {
	expect(sentences.filter((text) => /\b(error|problem|failure|mistake)s?\b/i.test(withoutQuotes(text)))).toEqual([]);
});

// The other rules for fields are those of n8n's lint: form-lint.test.ts.
it.each<[string, (entry: Entry) => boolean]>([
	['is free of emoji', (one) => /\p{Extended_Pictographic}/u.test(JSON.stringify(one))],
	['has a hint of 120 characters at most, as n8n wants it', ({ hint = '' }) => hint.length > 120],
	['gives an example with "e.g."', (one) => one.type === 'string' && !/^e\.g\. /.test(one.placeholder ?? 'e.g. ')],
])('every field of the forms %s', (_rule, isBroken) => {
	expect(entries.length).toBeGreaterThan(100);
	expect(entries.filter(isBroken).map(({ displayName, name }) => displayName ?? name)).toEqual([]);
});

/** What a node shows under its name. */
function subtitleOf({ subtitle }: INodeTypeDescription, parameters: object): string {
	const [, expression] = /^=\{\{ (.+) \}\}$/.exec(subtitle!)!;
	const show = new Function('$parameter', '$rawParameter', `return ${expression}`) as (...all: object[]) => string;
	return show(parameters, parameters);
}

it("n8n's own operation is named under both nodes", () => {
	const custom = '__CUSTOM_API_CALL__';
	const [browser, run] = nodes;
	expect(subtitleOf(browser, { resource: custom })).toBe('CUSTOM API CALL');
	expect(subtitleOf(browser, { resource: 'mailbox', operation: custom })).toBe('CUSTOM API CALL: Mailbox');
	expect(subtitleOf(run, { operation: custom, query: '=x' })).toBe('Custom API Call');
	expect(subtitleOf(run, { operation: 'rows', query: 'a'.repeat(50) })).toBe(`Get Rows: ${'a'.repeat(40)}`);
});

it('a node of Browser Automation is named under it as its operation and resource are', () => {
	const [browser] = nodes;
	const { properties } = browser;
	const optionsOf = ({ options }: INodeProperties) => options as INodePropertyOptions[];
	const resources = optionsOf(properties.find(({ name }) => name === 'resource')!);
	for (const field of properties.filter(({ name }) => name === 'operation')) {
		const [resource] = field.displayOptions!.show!.resource as string[];
		const { name: label } = resources.find(({ value }) => value === resource)!;
		for (const { name, value } of optionsOf(field))
			expect(subtitleOf(browser, { resource, operation: value })).toBe(`${name}: ${label}`);
	}
});

it('every option that a sentence names under its label is one', () => {
	const labels = optionFields.map(quotedLabel);
	const named = sources.flatMap(
		(file) => readFileSync(file, 'utf8').match(/(?<!\w)'[^'\n]+' under '[A-Z][^'\n]*'/g) ?? [],
	);
	expect([...named, ...Object.values(QUOTED_LIMITS)].filter((name) => !labels.includes(name))).toEqual([]);
});
