// A mail server that keeps what it is sent: as much of SMTP as n8n's Send Email needs.
import { once } from 'node:events';
import { createServer } from 'node:net';

/** @returns {Promise<{ port: number, mails: { to: string, text: string }[], stop: () => Promise<void> }>} */
export async function startMailServer() {
	const mails = [];
	const sockets = new Set();
	const server = createServer((socket) => {
		sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
		const reply = (line) => socket.write(`${line}\r\n`);
		let received = '';
		let to = '';
		let inMail = false;
		reply('220 test');
		socket.setEncoding('utf8').on('data', (piece) => {
			received += piece;
			for (;;) {
				const end = received.indexOf(inMail ? '\r\n.\r\n' : '\r\n');
				if (end < 0) return;
				const part = received.slice(0, end);
				received = received.slice(end + (inMail ? 5 : 2));
				if (inMail) mails.push({ to, text: decoded(part) });
				if (/^RCPT TO/i.test(part) && !inMail) to = /<(.*?)>/.exec(part)[1];
				inMail = !inMail && /^DATA/i.test(part);
				reply(inMail ? '354 go on' : '250 ok');
				if (/^QUIT/i.test(part)) socket.end();
			}
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const stop = async () => {
		for (const socket of sockets) socket.destroy();
		await new Promise((resolve) => server.close(resolve));
	};
	return { port: server.address().port, mails, stop };
}

/** The text of a mail, with its header: quoted-printable or not encoded. */
const decoded = (mail) =>
	/^Content-Transfer-Encoding: quoted-printable/im.test(mail)
		? mail
				.replace(/=\r\n/g, '')
				.replace(/(=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString('utf8'))
		: mail;
