/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * A proxy on the loopback interface that cuts every connection after a while.
 *
 * @param port where it leads
 * @param milliseconds how long each connection lasts
 */
export async function startCuttingProxy(port: number, milliseconds: () => number) {
	const sockets = new Set<Socket>();
	const server = createServer((client) => {
		const service = connect(port, '127.0.0.1');
		const cutting = setTimeout(() => [client, service].forEach((socket) => socket.destroy()), milliseconds());
		for (const [socket, other] of [
			[client, service],
			[service, client],
		]) {
			sockets.add(socket);
			socket.on('error', () => other.destroy());
			socket.on('close', () => {
				clearTimeout(cutting);
				sockets.delete(socket);
				other.end();
			});
			socket.pipe(other);
		}
	});
	await once(server.listen(0, '127.0.0.1', 4096), 'listening');
	return {
		origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		stop: async () => {
			for (const socket of sockets) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
