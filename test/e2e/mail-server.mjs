// A mail server that keeps the text of each mail: as much of SMTP as n8n's Send Email needs.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

export async function startMailServer() {
	const mails = [];
	const server = createServer(async (socket) => {
		const reply = (line) => socket.write(`${line}\r\n`);
		let mail;
		socket.on('error', () => {});
		reply('220 test');
		for await (const line of createInterface({ input: socket })) {
			if (mail && line !== '.') {
				// A line that begins with a point is sent with one more.
				mail.push(line.replace(/^\./, ''));
				continue;
			}
			if (mail) mails.push({ text: decoded(mail.join('\n')) });
			mail = /^DATA/i.test(line) ? [] : undefined;
			reply(mail ? '354 go on' : '250 ok');
			if (/^QUIT/i.test(line)) socket.end();
		}
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	return { port: server.address().port, mails, stop: () => server.close() };
}

/** The text of a mail, with its header: quoted-printable or not encoded. */
const decoded = (mail) =>
	/^Content-Transfer-Encoding: quoted-printable/im.test(mail)
		? mail
				.replace(/=\n/g, '')
				.replace(/(=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString('utf8'))
		: mail;
