import { isForbidden } from '../../nodes/shared/http/download';
import { networkOf } from '../../nodes/shared/values/url';
import { runAutomation } from '../engine/run-node';
import { events, finish, serveStream } from '../engine/serve-stream';
import { THREAD } from '../engine/thread-of';
import { each } from '../support/each';
import { egressFilter, withEgress, type Egress, type Names } from '../support/egress';
import { serve } from '../support/serve';

// S10. A page steers the agent, which returns links to servers that only n8n can reach.

const INTERNAL = [
	...['169.254.169.254', '2130706433', '0x7f.0.0.1', '0177.1', '127.1', '127.0.0.1.', '0.0.0.0', '0', 'localhost.'],
	...['LOCALHOST', 'a.localhost', '[::]', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:a9fe:a9fe]', '[::127.0.0.1]'],
	...['[64:ff9b::169.254.169.254]', '[64:ff9b:1::1]', '[2002:7f00:1::]', '[fd00:ec2::254]', '[fe80::1]', '[fec0::1]'],
	...['10.0.0.1', '172.31.0.1', '192.168.0.1', '100.64.0.1', '100.127.255.255', '100.100.100.200', '192.0.0.192'],
	...['198.18.0.1', '198.19.255.255', '224.0.0.1', '255.255.255.255', '[ff02::1]', 'n8n', 'n8n.', 'a.internal'],
];
const PUBLIC = [
	...['100.63.255.255', '100.128.0.1', '126.0.0.1', '128.0.0.1', '172.32.0.1', '192.0.1.1', '198.20.0.1', '223.1.1.1'],
	...[
		'[2606:4700::1]',
		'[::ffff:8.8.8.8]',
		'[64:ff9b::8.8.8.8]',
		'[2002:808:808::]',
		'8.8.8.8',
		'example.com',
		'e.co.',
	],
];

it.each([...each(INTERNAL, false), ...each(PUBLIC, true)])('%s is elsewhere: %j', (host, isElsewhere) => {
	expect(networkOf(`http://${host}/`) === 'elsewhere').toBe(isElsewhere);
});

const TYPE = 'text/plain';
const fileAt = (url: string) => ({ type: 'file', url, mediaType: TYPE });

/** Runs a task whose files are at these URLs, where `PORT` is the port of a server in this machine. */
async function download(urls: string[], egress: Egress = {}, baseUrl?: string, names?: Names) {
	const visited: string[] = [];
	const inside = await serve(({ url }, response) => {
		visited.push(url!);
		if (!url!.startsWith('/to/')) return void response.end('content of an internal server');
		const location = decodeURIComponent(url!.slice('/to/'.length));
		response.writeHead(Number(/\d+$/.exec(location)?.[0].slice(-3)) || 302, { location }).end();
	});
	const at = (url: string) => url.replaceAll('PORT', new URL(inside.url).port);
	const server = await serveStream(() => events(...urls.map(at).map(fileAt), finish));
	// A name that a list may allow.
	const automationUrl = server.url.replace('127.0.0.1', 'localhost');
	const credentials = baseUrl === undefined ? {} : { baseUrl: at(baseUrl) };
	const form = { query: THREAD, simplify: false, options: { downloadLinks: true } };
	const { items, status } = await withEgress(
		egress,
		async () => await runAutomation({ ...server.target, automationUrl }, form, { credentials }),
		names,
	);
	const [{ json, binary }] = items;
	return { json, binary, status, visited, port: new URL(inside.url).port };
}

const REFUSED = 'is in a private network, from which no files are downloaded';

it.each([
	...['127.0.0.1', '2130706433', '0x7f.0.0.1', '127.1', '[::ffff:127.0.0.1]', '0.0.0.0', 'localhost.', 'localhost'],
	...['[::]', '[::1]', '017700000001'],
])('nothing is requested from %s, and the run has a warning', async (host) => {
	const { json, binary, status, visited, port } = await download([`http://${host}:PORT/secret.txt`]);
	expect([binary, status, visited]).toEqual([undefined, 'success', []]);
	const shown = new URL(`http://${host}:${port}`).host;
	expect(json.warnings).toEqual([`File secret.txt was not downloaded: ${shown} ${REFUSED}`]);
});

const OWN = 'http://127.0.0.1:PORT';
const to = (url: string) => `${OWN}/to/${encodeURIComponent(url)}`;

it("the credential's own origins may be in a private network, but no other that they redirect to", async () => {
	const urls = [
		`${OWN}/a.txt`,
		to(`${OWN}/b.txt`),
		to('http://localhost:PORT/c.txt'),
		to('http://169.254.169.254/d.txt'),
	];
	const { json, binary, visited } = await download([...urls, to('file:///etc/passwd')], {}, `${OWN}/rest`);
	expect(Object.keys(binary!)).toEqual(['file_0', 'file_1']);
	expect(visited).toHaveLength(6);
	expect(json.warnings).toEqual([
		expect.stringMatching(new RegExp(`: localhost:\\d+ ${REFUSED}$`)),
		expect.stringMatching(new RegExp(`: 169\\.254\\.169\\.254 ${REFUSED}$`)),
		expect.stringContaining('its server redirected to no web link'),
	]);
});

it('follows at most five redirects', async () => {
	const chain = (count: number): string => (count ? to(chain(count - 1)) : `${OWN}/a.txt`);
	const { json, binary } = await download([chain(5), chain(6)], {}, OWN);
	expect(Object.keys(binary!)).toEqual(['file_0']);
	expect(json.warnings).toEqual([expect.stringContaining('its server redirected more than 5 times')]);
});

const UNKNOWN = [
	...['::', '::127.0.0.1', '100.100.100.200', '64:ff9b::7f00:1', '2002:7f00:1::', 'fec0::1', '224.0.0.1'],
	...['::ffff:100.64.0.1', '64:ff9b:1::1', 'ff02::1', '255.255.255.255', '::ffff:0:127.0.0.1'],
];

it.each([...each(UNKNOWN, false), ...each(UNKNOWN, true)])(
	"a name that resolves to %s, which n8n's filter lets pass, is refused, with n8n's protection on or off (%j)",
	async (address, enabled) => {
		const names = { 'files.example.com': ['93.184.215.14', address], localhost: ['127.0.0.1'] };
		const url = 'http://files.example.com/secret.txt';
		const { json, binary } = await download([url], { enabled, allowedHostnames: ['localhost'] }, undefined, names);
		expect(binary).toBeUndefined();
		expect(json.warnings).toEqual([`File secret.txt was not downloaded: files.example.com ${REFUSED}`]);
	},
);

it.each<[string, Egress]>([
	['addresses', { allowedIpRanges: ['127.0.0.0/8', '::1/128'] }],
	['names', { allowedHostnames: ['localhost'] }],
	['addresses, with protection on', { enabled: true, allowedIpRanges: ['127.0.0.0/8', '::1/128'] }],
])("n8n's list of allowed %s allows them", async (_list, egress) => {
	const { binary, json } = await download(['http://localhost:PORT/a.txt'], egress);
	expect(json.warnings).toEqual([]);
	expect(Object.keys(binary!)).toEqual(['file_0']);
});

it("n8n's own protection decides alone if it is on, also about the credential's origins", async () => {
	const urls = [`${OWN}/a.txt`, 'http://169.254.169.254/b.txt'];
	const { json, visited } = await download(urls, { enabled: true, allowedHostnames: ['localhost'] }, OWN);
	expect(visited).toEqual([]);
	expect(json.warnings).toEqual(
		Array(2).fill(expect.stringMatching(/^File [ab]\.txt was not downloaded: (?!.*private)/)),
	);
});

const urlOf = (url: string) => new URL(url);
const refuses = async (helpers: object, url: string, own: string[] = []) =>
	await isForbidden(helpers as never, urlOf(url), own);

describe('other versions and networks of n8n', () => {
	it('a version without the filter is judged by the URL alone', async () => {
		for (const host of INTERNAL) expect([host, await refuses({}, `http://${host}/x`)]).toEqual([host, true]);
		for (const host of PUBLIC) expect([host, await refuses({}, `http://${host}/x`)]).toEqual([host, false]);
	});

	type Lookup = (hostname: string, options: object, done: (error: null, found: object[]) => void) => void;
	const createSecureLookup = (): Lookup => (_hostname, _options, done) =>
		done(null, [{ address: '93.184.215.14', family: 4 }]);
	const filters = (validateUrl: () => unknown) => ({
		getSecureEgressFilter: (policy?: string) => (policy === 'enforced' ? { validateUrl, createSecureLookup } : {}),
	});

	it('a name that n8n cannot resolve is judged by the URL alone, because a proxy may resolve it', async () => {
		const unresolved = filters(async () => await Promise.reject(new Error('getaddrinfo ENOTFOUND')));
		expect(await refuses(unresolved, 'https://files.example.com/x')).toBe(false);
		expect(await refuses(unresolved, 'https://files.internal/x')).toBe(true);
	});

	it('names of public addresses are allowed, and those that n8n allows, and those of the credential', async () => {
		const names = {
			'files.example.com': ['93.184.215.14', '2606:4700::1', '::ffff:8.8.8.8'],
			'nas.example.com': ['10.0.0.1', '::ffff:10.0.0.1', 'fd00::1', 'fe80::1'],
			'own.example.com': ['100.64.0.1'],
		};
		const allowed = { allowedIpRanges: ['10.0.0.0/8', 'fd00::/8', 'fe80::/10'] };
		await withEgress(
			allowed,
			async () => {
				const helpers = { getSecureEgressFilter: egressFilter };
				for (const name of Object.keys(names).slice(0, 2))
					expect([name, await refuses(helpers, `http://${name}/x`)]).toEqual([name, false]);
				expect(await refuses(helpers, 'http://own.example.com/x')).toBe(true);
				expect(await refuses(helpers, 'http://own.example.com/x', ['http://own.example.com'])).toBe(false);
			},
			names,
		);
	});

	it('a verdict of the filter counts, except for addresses that it does not know', async () => {
		const blocking = filters(async () => await Promise.resolve({ ok: false, error: new Error('blocked') }));
		const allowing = filters(async () => await Promise.resolve({ ok: true }));
		expect(await refuses(blocking, 'https://rebound.example.com/x')).toBe(true);
		expect(await refuses(allowing, 'https://files.internal/x')).toBe(false);
		expect(await refuses(allowing, 'http://10.0.0.1/x')).toBe(false);
		for (const host of ['[::]', '100.64.0.1', '[64:ff9b::7f00:1]', '[2002:7f00:1::]'])
			expect([host, await refuses(allowing, `http://${host}/x`)]).toEqual([host, true]);
	});
});
