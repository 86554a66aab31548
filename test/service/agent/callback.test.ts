/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import { serve } from '../../support/serve';
import { useService } from '../../support/use-service';
import { callbackIn } from './callback';

const task = (address: string, again = 'If the response is 409, wait a little and try again.') =>
	`quick Read the prices\n\nWhen you are done, send {"result": "your findings"} by POST to ${address}. ${again}`;

/** Listens for results, and responds with one status after the other, in the end 200. */
async function listen(statuses: number[] = [], port = 0) {
	const bodies: unknown[] = [];
	const { server, url, stop } = await serve(async (request, response) => {
		bodies.push([request.method, request.url, request.headers['content-type'], JSON.parse(await text(request))]);
		response.writeHead(statuses[bodies.length - 1] ?? 200).end();
		server.emit('result');
	}, port);
	const received = async (count: number) => {
		while (bodies.length < count) await once(server, 'result');
		return bodies;
	};
	return { address: `${url}/resume?signature=s`, port: Number(new URL(url).port), received, bodies, stop };
}

describe('an agent that is asked to send its result', () => {
	const service = useService();

	async function startInBackground(query: string) {
		const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' };
		const body = JSON.stringify({ query, detach: true });
		const response = await fetch(`${service.automationUrl}/api/anything/start`, { method: 'POST', headers, body });
		expect(response.status).toBe(202);
	}

	const sent = ['POST', '/resume?signature=s', 'application/json', { result: 'Done: quick Read the prices' }];

	it.each(['409', '409 or another error'])(
		'sends it, and again if the response is %s, if the task says so',
		async (named) => {
			const target = await listen([409, named === '409' ? 409 : 500]);
			await startInBackground(task(target.address, `If the response is ${named}, wait a little and try again.`));
			expect(await target.received(3)).toEqual([sent, sent, sent]);
			await target.stop();
		},
	);

	it('gives up after a status that the task does not name', async () => {
		const target = await listen([409]);
		await startInBackground(task(target.address, 'Then stop.'));
		await target.received(1);
		await sleep(600);
		expect(target.bodies).toEqual([sent]);
		await target.stop();
	});

	it('tries again until someone listens', async () => {
		const gone = await listen();
		await gone.stop();
		await startInBackground(task(gone.address));
		await sleep(100);
		const target = await listen([], gone.port);
		expect(await target.received(1)).toEqual([sent]);
		await target.stop();
	});

	it.each(['Read https://example.com/prices', 'Find out how a form is sent by POST'])(
		'sends nothing if the task is: %s',
		(query) => expect(callbackIn(query)).toBeUndefined(),
	);
});
