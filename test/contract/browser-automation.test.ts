/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import type { INodeParameters, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { placeInRequest } from '../../nodes/BrowserAutomation/resources/operation';
import type { FormField } from '../../nodes/shared/form/fields';
import { BROWSER_AUTOMATION, operate, registry } from '../engine/run-node';
import { handlers } from '../service/endpoints';
import { matchOperation, operations as documented, validateRequest, type Schema } from '../service/openapi';
import type { RecordedRequest } from '../service/service';
import { useService } from '../support/use-service';
import { MINIMAL_COOKIE, operations, type TestedOperation } from './operations';
import { resolve, SCHEMAS } from './schemas';

/** What the document says of something, by its name. */
function inDocument<T>(name: string, found: T | undefined): T {
	if (found === undefined) throw new Error(`${name} is not in test/service/openapi.json`);
	return found;
}

const operationOf = (name: string) => documented.find(({ id }) => id === name);
const documentOf = ({ id }: TestedOperation) => inDocument(id, operationOf(id));

const idOf = ({ id }: TestedOperation) => id;
const nameOf = ({ resource, operation }: TestedOperation) => `${resource}/${operation}`;

const { properties } = registry.nodes[BROWSER_AUTOMATION].description;
const shownFor = ({ resource, operation }: TestedOperation) =>
	properties.filter(({ displayOptions }) => {
		const { resource: resources, operation: names } = displayOptions?.show ?? {};
		return resources?.includes(resource) && (names?.includes(operation) ?? true);
	});
const choices = properties
	.filter(({ name }) => name === 'operation')
	.flatMap(({ options, displayOptions }) =>
		(options as INodePropertyOptions[]).map(({ value }) => `${displayOptions!.show!.resource![0]}/${value}`),
	);

/** Every field of a form, those inside of collections too, that is sent. */
const sendingFields = (fields: INodeProperties[]): INodeProperties[] =>
	fields.flatMap((field) => [
		...(placeInRequest(field) ? [field] : []),
		...(field.type === 'collection' ? sendingFields(field.options as INodeProperties[]) : []),
	]);

/** Kinds of fields that always have a value outside of the options. */
const ALWAYS_FILLED = ['boolean', 'number', 'options'];

/** Defaults that are not the document's: real money is a deliberate choice, and an option is sent only if it is filled in. */
const OWN_DEFAULTS: Record<string, unknown> = {
	'connect_payment_wallet mode': 'test',
	// A replacement would remove every other sign-in of a profile.
	'set_profile_cookies mode': 'append',
	'start_automation_run version': '',
};

const service = useService();

/** The operation of a request, the values in its path, and what the document does not let it carry or misses in it. */
function readRequest({ method, path: at, headers, query, body }: RecordedRequest) {
	const match = matchOperation(method, at);
	if (!('operation' in match)) return { id: `${method} ${at} is not in the document` };
	const { operation, params } = match;
	const problems = validateRequest(operation, { params, query: { ...query }, headers, body });
	return { id: operation.id, inPath: Object.values(params), problems };
}

const ownHeaders = ({ headers }: RecordedRequest) =>
	Object.keys(headers)
		.filter((name) => name.startsWith('x-'))
		.sort();

it('every place that lists operations names those of the document and of the node', () => {
	const [tested, served] = ['test/contract/operations.ts', 'test/service/endpoints.ts'];
	const listed = (place: string, all: string[]) => all.map((name) => `${place}: ${name}`).sort();
	const described = documented.map(({ id }) => id);
	const started = operations.filter(({ operation }) => operation === 'start');
	const schemas = readdirSync(SCHEMAS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
	const files = choices.map((name) => `${name}.json`);
	expect([
		...[...listed(tested, operations.map(idOf)), ...listed(tested, operations.map(nameOf))],
		...[...listed(served, [...Object.keys(handlers), ...started.map(idOf)]), ...listed(SCHEMAS, schemas)],
	]).toEqual([
		...[...listed(tested, described), ...listed(tested, choices), ...listed(served, described)],
		...listed(SCHEMAS, files),
	]);
});

it('no two fields share a name, so that none is evaluated for another', () => {
	const fields = properties.filter(({ noDataExpression, type }) => !noDataExpression && type !== 'boolean');
	const names = fields.map(({ name }) => name).filter((name) => name !== 'options');
	expect(names).toEqual([...new Set(names)]);
});

describe.each(operations)('$resource $operation', (tested) => {
	const { resource, operation, required, full, sends, id } = tested;
	const { parameters, requestBody } = documentOf(tested);
	const bodySchema = resolve(requestBody?.content['application/json'].schema ?? {});

	async function run(form: INodeParameters) {
		const { items, error } = await operate(service, { resource, operation, ...form });
		expect(error).toBeUndefined();
		const [request, ...others] = service.requests.filter(({ path: at }) => !at.startsWith('/files/'));
		expect(others).toEqual([]);
		const { inPath, ...read } = readRequest(request);
		expect(read).toEqual({ id, problems: [] });
		expect(Object.values(form)).toEqual(expect.arrayContaining(inPath!));
		const successes = Object.entries(documentOf(tested).responses).filter(([status]) => status.startsWith('2'));
		const types = successes.flatMap(([, { content = { 'application/json': {} } }]) => Object.keys(content));
		expect(types).toContain(request.headers.accept);
		return { items, request };
	}

	it('sends only what is required, and returns what its schema says', async () => {
		const { items, request } = await run(required);
		const filled = (part: 'body' | 'query') =>
			shownFor(tested)
				.filter((field) => ALWAYS_FILLED.includes(field.type) && placeInRequest(field)?.part === part)
				.map((field) => placeInRequest(field)!.name);
		const inBody = Object.keys((request.body as object | undefined) ?? {}).filter((name) => name !== 'detach');
		expect(new Set(inBody)).toEqual(new Set([...(bodySchema.required ?? []), ...filled('body')]));
		const inQuery = parameters.filter((entry) => entry.in === 'query' && entry.required).map(({ name }) => name);
		expect(new Set(Object.keys(request.query))).toEqual(new Set([...inQuery, ...filled('query')]));
		expect(ownHeaders(request)).toEqual([]);

		const schema = JSON.parse(readFileSync(path.join(SCHEMAS, resource, `${operation}.json`), 'utf8')) as Schema;
		const validate = addFormats(new Ajv({ strict: false })).compile(schema);
		expect(items).not.toEqual([]);
		for (const { json } of items) {
			expect({ json, valid: validate(json), errors: validate.errors }).toEqual({ json, valid: true, errors: null });
			expect(Object.keys(json).sort()).toEqual(Object.keys(schema.properties!).sort());
		}
	});

	it('has every field of its form in test/contract/operations.ts', () => {
		const valueOf = (name: string) =>
			full[name] ?? shownFor(tested).find((field) => field.name === name)?.default ?? { resource, operation }[name];
		const isShown = ({ type, displayOptions }: INodeProperties) =>
			!['notice', 'hidden'].includes(type) &&
			Object.entries(displayOptions?.show ?? {}).every(([name, values]) => values!.includes(valueOf(name) as never));
		const shown = shownFor(tested).filter(isShown);
		const options = shown.find(({ name }) => name === 'options')?.options ?? [];
		const filled = { ...full, ...(full.options as INodeParameters | undefined) };
		const inFull = [...shown, ...options].map(({ name }) => name);
		const missing = inFull.filter((name) => !['operation', 'options'].includes(name) && !(name in filled));
		expect(missing.map((name) => `${id}: ${name}`)).toEqual([]);
	});

	it('sends every field of the document, and no other', async () => {
		const { items, request } = await run(full);
		const fileFields = shownFor(tested).filter(({ hint }) => /^The name of the output field/.test(hint ?? ''));
		expect(Object.keys(items[0].binary ?? {})).toEqual(fileFields.map(({ name }) => full[name]));
		expect(request.body).toEqual(sends.body);
		expect(request.query).toEqual(sends.query ?? {});
		expect(request.headers).toMatchObject({ ...sends.headers, authorization: `Bearer ${service.apiKey}` });

		const documentedNames = parameters.filter((entry) => entry.in !== 'path').map((entry) => entry.name);
		const given = [...Object.keys(request.query), ...ownHeaders(request)];
		const inForm = (all: string[]) => all.map((name) => `${id} in test/contract/operations.ts: ${name}`).sort();
		expect(inForm(given)).toEqual(inForm(documentedNames));
		const expectSameFields = (value: unknown, schema: Schema) => {
			const isDeclared = (name: string) => schema.additionalProperties !== true || name in schema.properties!;
			const sent = Object.keys(Object(value) as object).filter(isDeclared);
			expect(inForm(sent)).toEqual(inForm(Object.keys(schema.properties ?? {})));
			for (const [name, property] of Object.entries(schema.properties ?? {})) {
				const element = (value as Record<string, unknown[]>)[name]?.[0];
				if (property.items?.$ref) expectSameFields(element, resolve(property.items));
			}
		};
		expectSameFields(request.body, bodySchema);
	});

	it('has the defaults, allowed values and required marks of the document', () => {
		for (const field of sendingFields(shownFor(tested))) {
			const { name, part } = placeInRequest(field)!;
			const parameter = parameters.find((entry) => entry.in === part && entry.name === name);
			const schema = inDocument(`${id}: ${name}`, parameter?.schema ?? bodySchema.properties?.[name]);
			const isRequired = parameter ? parameter.required : (bodySchema.required ?? []).includes(name);
			expect([name, (field as FormField).isRequired ?? false]).toEqual([name, isRequired]);
			const expected = OWN_DEFAULTS[`${id} ${name}`] ?? schema.default;
			if (expected !== undefined) expect([name, field.default]).toEqual([name, expected]);
			if (field.type !== 'options') continue;
			const values = (field.options as INodePropertyOptions[]).map(({ value }) => value).sort();
			expect([name, values]).toEqual([name, [...(schema.enum ?? schema.examples)!].sort()]);
		}
	});
});

describe('what the node rejects before it sends anything', () => {
	type Case = [operation: string, form: INodeParameters, label: string];
	const pathFields = operations.flatMap((tested) =>
		sendingFields(shownFor(tested))
			.filter((field) => placeInRequest(field)!.part === 'path')
			.map(({ name, displayName }) => [nameOf(tested), name, displayName]),
	);
	const redirects = [
		['mailbox/createConnectLink', 'successRedirectUri', 'Success Redirect URI'],
		['mailbox/createConnectLink', 'errorRedirectUri', 'Error Redirect URI'],
		['mailbox/createConnectLink', 'allowedOrigin', 'Allowed Origin'],
	];
	const [thread, other] = ['8f14e45f-ceea-467f-9575-6f4b2a1f0c3d', '00000000-0000-4000-8000-000000000000'];
	const unreadCookie = { ...MINIMAL_COOKIE, value: '{{ $json.v }}' };
	const start = (form: INodeParameters, label: string): Case => ['automationRun/start', form, label];
	/** A case for each field and each value that it must not have. */
	const cases = (fields: string[][], values: string[]) =>
		fields.flatMap(([operation, name, label]) => values.map((value): Case => [operation, { [name]: value }, label]));

	it('knows every path value of the document', () =>
		expect(pathFields).toHaveLength(documented.flatMap(({ path: at }) => at.match(/\{/g) ?? []).length));

	it.each<Case>([
		...cases(pathFields, ['=..', '={{ null }}']),
		...cases(pathFields.slice(0, 1), ['=.', '={{ {} }}', '={{ "\\ud800" }}', '=a/..', '=a\\b']),
		...cases(redirects, ['app.example.com', 'mailto:a@example.com', 'http://']),
		...cases(redirects.slice(2), ['https://a@example.com', 'https://a.example/a', 'https://a.example?a']),
		['web/search', { options: { depth: '={{ true }}' } }, 'Depth'],
		start({ options: { additionalBodyFields: '{"detach": false}' } }, 'Additional Body Fields'),
		...[`${thread} ${other}`, 'thread-7'].map((threadId) => start({ threadId }, 'Thread ID')),
		['profile/setCookies', { cookiesJson: '={{ [] }}' }, 'Cookies'],
		['profile/setCookies', { cookiesFrom: '={{ "text" }}' }, 'Cookies From'],
		['profile/setCookies', { cookiesFrom: 'fields', cookies: { cookie: [unreadCookie] } }, 'Value'],
		['profile/setCookies', { cookiesFrom: 'fields', cookies: {} }, 'Cookies'],
		['profile/setCookies', { cookiesFrom: 'binary' }, "Input Data Field Name'"],
		['session/getReplay', { waitForRecording: true, maximumWait: '={{ "long" }}' }, 'Max Wait'],
		['session/getReplay', { downloadVideo: true, options: { maxVideoSize: -1 } }, 'Max Video Size (MB)'],
		['session/getScript', { splitIntoItems: '={{ "maybe" }}' }, 'Split Into Items'],
	])('rejects %s with %j, naming the field', async (name, form, label) => {
		const { resource, operation, required } = operations.find((tested) => nameOf(tested) === name)!;
		const { error } = await operate(service, { resource, operation, ...required, ...form });
		expect(error?.name).toMatch(/^Node(Api|Operation)Error$/);
		expect(error!.message).toContain(`'${label}`);
		expect(error!.context).toMatchObject({ itemIndex: 0 });
		expect(service.requests).toEqual([]);
	});
});
