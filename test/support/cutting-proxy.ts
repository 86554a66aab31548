/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/**
 * A proxy on the loopback interface that cuts the first connection, once its response has begun.
 *
 * @param port where it leads
 * @param milliseconds how long the response lasts
 */
export async function startCuttingProxy(port: number, milliseconds: number) {
	let isFirst = true;
	const server = createServer((client) => {
		const service = connect(port, '127.0.0.1');
		let cutting: NodeJS.Timeout | undefined;
		if (isFirst) service.once('data', () => (cutting = setTimeout(() => client.destroy(), milliseconds)));
		isFirst = false;
		// Whichever of the two ends, the other one does, too.
		pipeline(client, service, client, () => clearTimeout(cutting));
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => void server.close() };
}
