import { createServer } from 'node:net';

/** A mail server that takes every message and keeps it. Speaks as much SMTP as sending a message without a login needs. */
export async function startMailServer() {
	const messages = [];
	const server = createServer((socket) => {
		let rest = '';
		let message;
		const reply = (line) => socket.write(`${line}\r\n`);
		const take = (line) => {
			if (message !== undefined) {
				if (line !== '.') message.push(line);
				else {
					messages.push(message.join('\n'));
					message = undefined;
					reply('250 Kept');
				}
				return;
			}
			const command = line.slice(0, 4).toUpperCase();
			if (command === 'DATA') message = [];
			if (command === 'QUIT') return socket.end('221 Bye\r\n');
			reply(command === 'DATA' ? '354 Go on' : '250 OK');
		};
		socket.setEncoding('utf8').on('error', () => socket.destroy());
		socket.on('data', (text) => {
			const lines = (rest + text).split('\r\n');
			rest = lines.pop();
			lines.forEach(take);
		});
		reply('220 Ready');
	});
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	const stop = async () => await new Promise((resolve) => server.close(resolve));
	return { port: server.address().port, messages, stop };
}
