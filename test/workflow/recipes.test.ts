import { listInPages, bytesOperation } from '../support/recipes';

import type { IDataObject } from 'n8n-workflow';

import { ownSteps } from '../../nodes/BrowserAutomation/routing/own-steps';
import { withFile } from '../../nodes/BrowserAutomation/routing/read-response';
import { operate } from '../engine/run-node';
import { usePauses } from '../support/clock';
import { serve } from '../support/serve';

usePauses();

ownSteps.set(listInPages, {
	next({ body }, { request, values }, items) {
		const { next_page: page } = body as IDataObject;
		items.splice(values.limit as number);
		if (!page || items.length === values.limit) return undefined;
		return { ...request, qs: { ...request.qs, page } };
	},
});

ownSteps.set(bytesOperation, {
	async read({ body }, call) {
		const file = { field: 'bytesField', extension: 'png', mediaType: 'image/png' };
		return [await withFile(call, { json: {} }, file, body as Buffer)];
	},
});

type Answer = [status: number, body: unknown, headers?: Record<string, string>];

/** Performs an operation against a service that answers in turn, and gives what it was asked for. */
async function perform(form: object, answers: Answer[], node = {}) {
	const urls: string[] = [];
	const server = await serve((request, response) => {
		const [status, body, headers = {}] = answers[Math.min(urls.push(request.url!), answers.length) - 1];
		const isRaw = Buffer.isBuffer(body) || typeof body === 'string';
		response.writeHead(status, { ...(!isRaw && { 'content-type': 'application/json' }), ...headers });
		response.end(isRaw ? body : JSON.stringify(body));
	});
	const ran = await operate(server.target, form as never, { node });
	return { ...ran, urls };
}

describe('an operation whose list comes in pages', () => {
	const form = { resource: 'profile', operation: 'listInPages' };
	const page = (ids: number[], next?: string): Answer => [
		200,
		{ profiles: ids.map((id) => ({ id })), next_page: next },
	];
	const pages = [page([1, 2], 'b'), page([3, 4], 'c'), page([5])];
	const idsOf = ({ items }: { items: Array<{ json: IDataObject }> }) => items.map(({ json }) => json.id);

	it('returns the items of all pages, each with its input item', async () => {
		const ran = await perform(form, pages);
		expect(ran.error).toBeUndefined();
		expect(idsOf(ran)).toEqual([1, 2, 3, 4, 5]);
		expect(ran.items.map(({ pairedItem }) => pairedItem)).toEqual(Array(5).fill({ item: 0 }));
		const query = '/profiles?page_size=2';
		expect(ran.urls).toEqual([query, `${query}&page=b`, `${query}&page=c`]);
	});

	it('requests no page that its limit does not need', async () => {
		const ran = await perform({ ...form, limit: 3 }, pages);
		expect([idsOf(ran), ran.urls.length]).toEqual([[1, 2, 3], 2]);
	});

	it('waits for a busy service on each page', async () => {
		const busy: Answer = [429, { message: 'Slow down' }, { 'retry-after': '5' }];
		const ran = await perform(form, [busy, pages[0], busy, pages[1], pages[2]]);
		expect([ran.error, idsOf(ran)]).toEqual([undefined, [1, 2, 3, 4, 5]]);
	});

	it('fails with the reason of the page that fails', async () => {
		const ran = await perform(form, [pages[0], [404, { detail: 'Unknown page' }]]);
		expect(ran.error?.message).toBe('Unknown page');
		expect(ran.items).toEqual([]);
	});
});

describe('an operation whose success is bytes', () => {
	const form = { resource: 'session', operation: 'bytes', sessionId: 'session-1' };
	const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00]);

	it('returns them as a file, unchanged', async () => {
		const { items, error } = await perform(form, [[200, bytes, { 'content-type': 'image/png' }]]);
		expect(error).toBeUndefined();
		expect(items[0].binary!.data).toMatchObject({ mimeType: 'image/png', fileName: 'session-1.png' });
		expect(Buffer.from(items[0].binary!.data.data, 'base64')).toEqual(bytes);
	});

	it.each<[string, Answer, RegExp]>([
		['a rejection', [404, { detail: 'No such session' }], /^No such session$/],
		['a text', [500, 'upstream connect error'], /^upstream connect error$/],
		['a web page instead of a picture', [200, '<html><title>Sign in</title></html>'], /web page titled "Sign in"/],
	])('reads %s as any other operation does', async (_what, answer, message) => {
		const { error } = await perform(form, [answer]);
		expect(error?.message).toMatch(message);
	});
});
