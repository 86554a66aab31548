// Parses URLs, and finds to which network one leads.

/** `URL.canParse` of Node.js 20 and 22 rejects `müller.example` after some thousand calls. */
export function parseUrl(text: string, base?: string): URL | undefined {
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}

/** Statuses that name another URL (RFC 9110, section 15.4). */
export const REDIRECTS = [301, 302, 303, 307, 308];

export const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/;

type Network = 'elsewhere' | 'privateNetwork' | 'localhost';

const PRIVATE_NAME = /^([^.]+|.+\.(?:local|internal|lan|home\.arpa))$/;

/** IANA's special-purpose IPv4 networks, each with the number of bits that count. */
const PRIVATE_IPV4: Array<[address: number, bits: number]> = [
	[0x0a000000, 8],
	[0x64400000, 10],
	[0xa9fe0000, 16],
	[0xac100000, 12],
	[0xc0000000, 24],
	[0xc0a80000, 16],
	[0xc6120000, 15],
	[0xe0000000, 3],
];

function networkOfIpv4(address: number): Network {
	const first = address >>> 24;
	if (first === 127 || first === 0) return 'localhost';
	const isIn = ([network, bits]: [number, number]) => (network ^ address) >>> (32 - bits) === 0;
	return PRIVATE_IPV4.some(isIn) ? 'privateNetwork' : 'elsewhere';
}

/** `URL` writes eight groups of hexadecimal digits, with at most one `::`. */
function groupsOf(address: string): number[] {
	const [before, after] = address.split('::').map((part) => part.split(':').filter(Boolean));
	const groups = after
		? [...before!, ...Array<string>(8 - before!.length - after.length).fill('0'), ...after]
		: before!;
	return groups.map((group) => parseInt(group, 16));
}

/** After these groups, an IPv4 address follows: mapped, compatible, or NAT64 (RFC 4291, RFC 6052). */
const EMBEDDING = ['0:0:0:0:0:ffff', '0:0:0:0:0:0', '64:ff9b:0:0:0:0', '0:0:0:0:ffff:0'];

function networkOfIpv6(address: string): Network {
	const groups = groupsOf(address);
	const [first, second, third] = groups as [number, number, number];
	const [high, low] = groups.slice(6) as [number, number];
	const start = groups
		.slice(0, 6)
		.map((group) => group.toString(16))
		.join(':');
	if (EMBEDDING.includes(start)) return networkOfIpv4(((high << 16) | low) >>> 0);
	// 6to4 (RFC 3056).
	if (first === 0x2002) return networkOfIpv4(((second << 16) | third) >>> 0);
	// Unique local, link-local, site-local, multicast, or one's own NAT64 (RFC 8215).
	const isPrivate = first >>> 9 === 0x7e || first >>> 8 === 0xff || first >>> 6 === 0x3fa || first >>> 6 === 0x3fb;
	return isPrivate || (first === 0x64 && second === 0xff9b) ? 'privateNetwork' : 'elsewhere';
}

/** `URL` has already read notations such as `2130706433` and `0x7f.1`. */
export function networkOf(url: string): Network {
	const hostname = new URL(url).hostname.replace(/\.$/, '');
	if (hostname.startsWith('[')) return networkOfIpv6(hostname.slice(1, -1));
	if (/^\d+(\.\d+){3}$/.test(hostname)) {
		return networkOfIpv4(hostname.split('.').reduce((address, part) => address * 256 + Number(part), 0));
	}
	if (LOOPBACK.test(hostname)) return 'localhost';
	return PRIVATE_NAME.test(hostname) ? 'privateNetwork' : 'elsewhere';
}
