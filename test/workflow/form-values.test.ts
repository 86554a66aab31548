import type { IBinaryData, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { MINIMAL_COOKIE } from '../contract/operations';
import { operate, RUN_AUTOMATION, runNode, type NodeRunOptions } from '../engine/run-node';
import { finish, events, serveStream, textChunks } from '../engine/serve-stream';
import { useService } from '../support/use-service';

// What an expression leaves in a field, and what people put there, as they reported it.

const service = useService();

/** Runs a task for each item: what was asked of the agent, and why not. */
async function ask(form: INodeParameters, input: INodeExecutionData[] = [{ json: {} }], options: NodeRunOptions = {}) {
	const tasks: string[] = [];
	const { target } = await serveStream((_task, _response, _thread, query) => {
		tasks.push(query!);
		return events(...textChunks('Done'), finish);
	});
	const ran = await runNode(RUN_AUTOMATION, target, form, { input, ...options });
	return { ...ran, tasks, reason: ran.error?.message };
}

const EXPRESSION = "'Task' contains an expression that is not evaluated";

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
		const { tasks, reason } = await ask({ query }, [{ json: { task: 'Do it', o: {}, product: 'Lamp' } }]);
		expect([tasks, reason]).toEqual([[], EXPRESSION]);
	});

	it.each([
		'Type {{first_name}} and {{ order.id }}',
		'Explain ${price} in a shell, and $json there',
		'Pay $100, or {{ amount }}',
		'Write a Blade template with {{ $user->name }}',
		'Write a Blade template with {{ $item->name }} and {{ $items }}',
		'Say what $json.task means in n8n',
	])('that only looks like one is a task: %s', async (query) => {
		const { tasks } = await ask({ query });
		expect(tasks).toEqual([expect.stringMatching(/^(Type|Explain|Pay|Write|Say) /)]);
		expect(tasks[0].startsWith(query)).toBe(true);
	});
});

describe('an ID', () => {
	const secret = { resource: 'secret', operation: 'delete' };

	// n8n-nodes-apify-old#54
	it.each<[INodeParameters, string]>([
		[{ resource: 'session', operation: 'getScript', sessionId: 'https://app.example.com/s/1' }, 'Session ID'],
		[{ ...secret, id: '[Key](https://app.example.com/secrets/1)' }, 'Secret ID'],
		[{ resource: 'mailbox', operation: 'delete', mailboxId: 'HTTPS://app.example.com/m' }, 'Mailbox ID'],
	])('that is a link is not sent: %j', async (form, label) => {
		const { error } = await operate(service, form);
		expect(error).toMatchObject({ message: `'${label}' is a link`, description: 'Enter the ID, not a link' });
		expect(service.requests).toEqual([]);
	});
});

describe('a file', () => {
	const form = { resource: 'profile', operation: 'setCookies', profileId: 'p', cookiesFrom: 'binary' };
	const text = JSON.stringify([MINIMAL_COOKIE]);
	const base64 = Buffer.from(text).toString('base64');
	const cookieOf = async (data: unknown, binaryField = 'data') => {
		const binary = { data: { data, mimeType: 'application/json' } as IBinaryData };
		const input = [{ json: {}, binary }];
		return await operate(service, { ...form, binaryField }, { input });
	};

	// n8n#37612, n8n#28843
	it.each<[string, unknown]>([
		['a data URL', `data:application/json;base64,${base64}`],
		['a data URL behind a blank', ` data:application/json;base64,${base64}`],
		['a data URL without base64', `data:application/json,${encodeURIComponent(text)}`],
		['base64 in lines, without padding', base64.replace(/(.{20})/g, '$1\r\n').replace(/=+$/, '')],
		['base64 of URLs', base64.replaceAll('+', '-').replaceAll('/', '_')],
		['a Buffer', Buffer.from(text)],
	])('is read if its content is %s', async (_what, data) => {
		const { items, error } = await cookieOf(data);
		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject({ cookies_count: 1 });
	});
});
