import { modelFields } from '../../nodes/shared/form/fields';
import { operate, runAutomation } from '../engine/run-node';
import { THREAD } from '../engine/thread-of';
import { serve } from '../support/serve';

it.each(modelFields.map(({ name }) => name))('both nodes send the option %s of an agent', async (name) => {
	const bodies: unknown[] = [];
	const server = await serve((_request, response, body) => {
		bodies.push(JSON.parse(body));
		response.writeHead(202, { 'x-thread-id': THREAD }).end('{"status":"started"}');
	});
	const options = { [name]: 'as given' };
	await runAutomation(server.target, { operation: 'background', query: 'Do it', options });
	await operate(server.target, { resource: 'automationRun', operation: 'start', query: 'Do it', options });
	expect(bodies).toEqual([1, 2].map(() => expect.objectContaining({ [name]: 'as given', detach: true }) as unknown));
});
