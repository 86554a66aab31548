import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

// Makes certificates for servers of tests, as RFC 5280 describes them: Node.js can read them, but not make them.

const der = (tag: number, ...parts: Buffer[]): Buffer => {
	const content = Buffer.concat(parts);
	const { length } = content;
	const size = length < 128 ? [length] : [0x82, length >> 8, length & 255];
	return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const hex = (text: string) => Buffer.from(text, 'hex');

const ECDSA_SHA256 = sequence(hex('06082a8648ce3d040302'));
const nameOf = (text: string) => sequence(der(0x31, sequence(hex('0603550403'), der(0x0c, Buffer.from(text)))));
const timeOf = (days: number) => {
	const date = new Date(Date.now() + days * 86_400_000).toISOString();
	return der(0x17, Buffer.from(`${date.slice(2, 19).replace(/\D/g, '')}Z`));
};
const extension = (id: string, value: Buffer) => sequence(hex(`0603${id}`), der(0x04, value));

interface Subject {
	name: string;
	/** Days from now of its first and last day. */
	days: [number, number];
	isAuthority?: boolean;
}

const IS_AUTHORITY = sequence(hex('0101ff'));

function certificateOf({ name, days, isAuthority }: Subject, publicKey: KeyObject, issuer: string, key: KeyObject) {
	const altName = sequence(der(0x82, Buffer.from(name)), der(0x87, Buffer.from([127, 0, 0, 1])));
	const ownName = name === 'localhost' ? altName : sequence(der(0x82, Buffer.from(name)));
	const extensions = isAuthority ? extension('551d13', IS_AUTHORITY) : extension('551d11', ownName);
	const content = sequence(
		der(0xa0, hex('020102')),
		der(0x02, Buffer.from([1, ...Buffer.from(name).subarray(0, 8)])),
		ECDSA_SHA256,
		nameOf(issuer),
		sequence(...days.map(timeOf)),
		nameOf(name),
		publicKey.export({ type: 'spki', format: 'der' }),
		der(0xa3, sequence(extensions)),
	);
	const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', content, key)]));
	const base64 = sequence(content, ECDSA_SHA256, signature).toString('base64');
	return `-----BEGIN CERTIFICATE-----\n${base64.replace(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`;
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** An authority, and the key and certificate of a server that it vouches for, or that vouches for itself. */
export function certificates(name: string, days: [number, number], isSelfSigned = false) {
	const [authority, server] = [newKeys(), newKeys()];
	const [issuer, key] = isSelfSigned ? [name, server.privateKey] : ['Test Authority', authority.privateKey];
	const ca: Subject = { name: 'Test Authority', days: [-9, 9], isAuthority: true };
	return {
		ca: certificateOf(ca, authority.publicKey, 'Test Authority', authority.privateKey),
		cert: certificateOf({ name, days }, server.publicKey, issuer, key),
		key: server.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
	};
}
