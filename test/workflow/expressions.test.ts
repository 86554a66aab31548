import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { operations } from '../contract/operations';
import { resources } from '../../nodes/BrowserAutomation/resources';
import { fields } from '../../nodes/RunAutomation/form/fields';
import { optionFields } from '../../nodes/RunAutomation/form/options';
import { quotedLabel, fieldsAndOptions, type Field, type FormField } from '../../nodes/shared/form/fields';
import { asTool, BROWSER_AUTOMATION, operate, RUN_AUTOMATION, runAutomation, runNode } from '../engine/run-node';
import { events, finish, runStream, textChunks, type StartAnswer } from '../engine/serve-stream';
import { useService } from '../support/use-service';

const service = useService();

/** A field, and a form that shows it, with a value in the field. */
interface Shown {
	type: string;
	label: string;
	field: FormField & Field;
	inTool: boolean;
	form(value: unknown): INodeParameters;
}

function shownIn(type: string, field: FormField & Field, form: INodeParameters, isOption: boolean): Shown {
	const { name, displayOptions: { show = {}, hide } = {} } = field;
	const conditions = Object.entries(show).map(([other, values]) => [other.replace('/', ''), values![0]]);
	const shown = { ...form, ...Object.fromEntries(conditions) } as INodeParameters;
	const put = (value: unknown) =>
		isOption ? { options: { ...(form.options as object), [name]: value } } : { [name]: value };
	const inTool = type === RUN_AUTOMATION && hide?.['@tool'] === undefined;
	return { type, label: quotedLabel(field), field, inTool, form: (value) => ({ ...shown, ...put(value) }) as never };
}

const isEvaluated = ({ type, noDataExpression }: FormField) =>
	!noDataExpression && !['notice', 'collection', 'fixedCollection'].includes(type);
const task = { query: 'quick', columns: { column: [{ name: 'name', type: 'text' }] } };

const allShown: Shown[] = [
	...fields.filter(isEvaluated).map((field) => shownIn(RUN_AUTOMATION, field, task, false)),
	...optionFields.map((field) => shownIn(RUN_AUTOMATION, field, task, true)),
	...operations.flatMap(({ resource, operation, full }) => {
		const { operations: declared } = resources.find(({ value }) => value === resource)!;
		return fieldsAndOptions(declared.find(({ value }) => value === operation)!.fields)
			.filter((field) => isEvaluated(field) && (field.name in full || field.name in Object(full.options)))
			.map((field) => shownIn(BROWSER_AUTOMATION, field, { resource, operation, ...full }, field.group !== undefined));
	}),
];

const run = async (shown: Shown, value: unknown, input: IDataObject[] = [{}], isTool = false) =>
	await runNode(isTool ? `${shown.type}Tool` : shown.type, service, shown.form(value), {
		input: input.map((json) => ({ json })),
		...(!isTool && { node: { onError: 'continueRegularOutput' as const } }),
	});

describe.each(allShown)('an expression in $label of $type', (shown) => {
	const { label, inTool } = shown;
	const { isRequired, default: initial } = shown.field;

	it('is refused before anything is sent if it has no value, or throws', async () => {
		const { items } = await run(shown, '={{ $json.v }}', [{ v: null }, { v: ' ' }, {}]);
		const reason = `${label}: {{ $json.v }} has no value`;
		expect(items.map(({ json }) => json.error)).toEqual([reason, reason, reason]);
		const { items: failed } = await run(shown, '={{ $json.v + }}');
		expect(failed[0].json.error).toMatch(`${label}: {{ $json.v + }} has no value: `);
		expect(service.requests).toEqual([]);
	});

	it('with a fallback that its author wrote counts as an empty field', async () => {
		const { items } = await run(shown, "={{ $json.v ?? '' }}");
		if (isRequired && !initial) expect(items[0].json.error).toMatch(/ is empty$/);
		else expect(String(items[0]?.json.error ?? '')).not.toContain('has no value');
	});

	if (!inTool || isRequired) return;
	it('may have no value in a tool', async () => {
		const { error } = await run(shown, '={{ $json.v }}', [{}], true);
		expect(error).toBeUndefined();
	});
});

const answer = events(...textChunks('Done'), finish);

/** Runs a task for each item: what was asked of the agent, and why not. */
async function ask(query: string, input: IDataObject[] = [{}], isTool = false) {
	const tasks: string[] = [];
	const record: StartAnswer = (_task, _response, _thread, sent) => (tasks.push(sent!.split('\n\n')[0]), answer);
	const { error } = await runStream(record, { query }, { input, ...(isTool && asTool) });
	return { reason: error?.message, advice: error?.description, tasks };
}

describe('an expression in a task', () => {
	const row = { company: 'Acme', empty: '', list: [], tags: ['a', 'b'], zero: 0, address: { city: 'Bonn' } };
	it.each([
		['=Compare {{ $json.company }} and {{ $json.b }}', "'Task': {{ $json.b }} has no value"],
		['=See {{ $json.a || $json.none }}', "'Task': {{ $json.a || $json.none }} has no value"],
		['=See {{ $json["Price (EUR)?"] }}', `'Task': {{ $json["Price (EUR)?"] }} has no value`],
		...[
			...[
				'$json.empty?.trim()',
				'$json.empty.slice(0, 60)',
				'$json.list.join(", ")',
				'($json.empty)',
				'String($json.empty)',
			],
			...['$json.empty.replace("a|b", "?")', '/* ?? */ $json.empty', '`${$json.empty}`', '$json.zero * $json.none'],
		].map((code): [string, string] => [`=See {{ ${code} }}`, `'Task': {{ ${code} }} has no value`]),
		['=At {{ $json.address }} now', `'Task': {{ $json.address }} contains "[object Object]" instead of a value`],
		["={{ 'Price of ' + $json.x }}", `'Task': {{ 'Price of ' + $json.x }} contains "undefined" instead of a value`],
	])('starts no run without a value: %s', async (query, reason) => {
		expect(await ask(query, [row])).toMatchObject({ reason, tasks: [] });
	});

	it.each([
		['=Compare {{ $json.b ?? "" }}', 'Compare'],
		['=Compare {{ $json.empty || "none" }}', 'Compare none'],
		['=Compare {{ $json.b ? "x" : "" }}', 'Compare'],
		['=Compare {{ $ifEmpty($json.empty, "") }}', 'Compare'],
		['=Compare {{ $json.a?.b ?? "" }}', 'Compare'],
		['=Compare {{ $json.zero }} {{ false }} {{ $json.list }}', 'Compare 0 false'],
		['=Compare {{ $json.tags }}', 'Compare a,b'],
		['=Write \\{{ null }} there', 'Write \\{{ null }} there'],
		['Write {{ null }} there', 'Write {{ null }} there'],
	])('is sent with any other value, and with a fallback: %s', async (query, task) => {
		expect((await ask(query, [row])).tasks).toEqual([task]);
	});

	it('without a value names the step, and a fallback that works', async () => {
		const { advice } = await ask('=See {{ $json.a.b }}', [row]);
		const step =
			"Correct the expression, or write a fallback for a value that may be missing, as in {{ $json.company?.name ?? '' }}";
		expect(advice).toBe(`No run was started. ${step}`);
		expect((await ask("=See {{ $json.company?.name ?? '' }}")).tasks).toEqual(['See']);
	});

	// n8n-mcp#338
	it.each(['={{ $json.q.trim() }}', "={{ 'Why: ' + $json.q }}", '={{ $json.words[0].slice(0, 60) }}'])(
		'may have a word of JavaScript that stands in the data: %s',
		async (query) => {
			const q = 'Cannot read properties of undefined (reading x)';
			expect((await ask(query, [{ q, words: [q] }])).tasks).toEqual([expect.stringContaining('undefined')]);
		},
	);

	it('in a tool has what the agent writes, and starts nothing if that is empty', async () => {
		const query = "=Do: {{ $fromAI('Task', 'What to do', 'string') }}";
		expect(await ask(query, [{ Task: ' ' }], true)).toMatchObject({
			tasks: [],
			reason: expect.stringContaining('has no value') as string,
		});
		expect((await ask(query, [{ Task: 'x' }], true)).tasks).toEqual(['Do: x']);
		expect((await ask('=Compare {{ $json.none }}', [{}], true)).tasks).toEqual(['Compare']);
	});
});

describe('a fixed text', () => {
	// n8n-mcp#677, n8n#18181
	it.each([
		'$json.task',
		'=$json.task',
		"$('On Form').item.json['the task']",
		'$input.first().json.task',
		'=$now',
		'Summarise {{ JSON.stringify($json.o) }}',
		'Until {{ DateTime.now() }}',
		"For {{ $('Shop').item.json.name }} only",
		'=Price of ${$json.product}',
		'Price of ${ $json.product }',
		'$workflow.name',
		"$fromAI('task')",
		'=$jmespath($json, "task")',
		"Find {{ $ifEmpty('', 'Lamp') }}",
	])('that is an expression, which n8n does not evaluate, starts nothing: %s', async (query) => {
		const reason = "'Task' contains an expression that is not evaluated";
		const data = { task: 'Do it', o: {}, product: 'Lamp' };
		expect(await ask(query, [data])).toMatchObject({ reason, tasks: [] });
	});

	it.each([
		'Type {{first_name}} and {{ order.id }}',
		'Explain ${price} in a shell, and $json there',
		'Pay $100, or {{ amount }}',
		'Write a Blade template with {{ $user->name }}',
		'Write a Blade template with {{ $item->name }} and {{ $items }}',
		'Say what $json.task means in n8n',
	])('that only looks like one is a task: %s', async (query) => {
		expect((await ask(query)).tasks).toEqual([query]);
	});
});

it.each([
	['additionalBodyFields', '={{ { max: $json.max } }}'],
	['agentData', '={{ [$json.max] }}'],
	['agentFiles', '={{ [$json.max, "a"] }}'],
])('a list or an object in %s has no key without a value: %s', async (name, value) => {
	const { error } = await runAutomation(service, { query: 'quick', options: { [name]: value } });
	expect(error?.message).toMatch(/ contains "undefined" instead of a value$/);
	expect(service.requests).toEqual([]);
});

// n8n#443
it.each(['=key_{{ $json.q }}', '={{ $json.env }}_{{ $json.q }}', '=key_{{ $json.blank }}'])(
	'an ID whose expression has no value deletes nothing: %s',
	async (id) => {
		const form = { resource: 'secret', operation: 'delete', id };
		const { error } = await operate(service, form, { input: [{ json: { env: 'prod', blank: '' } }] });
		expect(error?.message).toMatch(/^'Secret ID': \{\{ \$json\.(q|blank) \}\} has no value$/);
		expect(service.requests).toEqual([]);
	},
);

it.each([
	{ name: '={{ $json.none }}', type: 'text' },
	{ name: 'a', details: { description: '={{ $json.none }}' } },
])('an expression inside of a column has a value, too: %j', async (column) => {
	const { error } = await runAutomation(service, { query: 'quick', operation: 'rows', columns: { column: [column] } });
	expect(error?.message).toBe("'Columns': {{ $json.none }} has no value");
	expect(service.requests).toEqual([]);
});

it('reads no option of another item: one whose expression fails in the first item fails there only', async () => {
	const options = { model: '={{ $json.name ?? $("Nowhere").first() }}' };
	const settings = { onError: 'continueRegularOutput' as const };
	const input = [{}, { name: 'ONE' }, { name: 'TWO' }];
	const { items } = await runAutomation(service, { query: 'quick', options }, { input, settings });
	expect(items.map(({ json }) => json.error !== undefined)).toEqual([true, false, false]);
	expect(service.starts.map(({ body }) => body.model)).toEqual(['ONE', 'TWO']);
});
