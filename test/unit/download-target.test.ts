import { isForbidden } from '../../nodes/shared/http/download';
import { networkOf } from '../../nodes/shared/values/url';
import { runAutomation } from '../engine/run-node';
import { events, finish, serveStream } from '../engine/serve-stream';
import { THREAD } from '../engine/thread-of';
import { each } from '../support/each';
import { withEgress, type Egress } from '../support/egress';
import { serve } from '../support/serve';

// S10. A page steers the agent, which returns links to servers that only n8n can reach. n8n's own filter decides about them; what
// it leaves open is in SECURITY.md.

const LOCAL = 'localhost localhost. a.localhost 127.1 2130706433 0x7f.0.0.1 0.0.0.0 [::] [::1]'.split(' ');
const PRIVATE = [
	...['10.0.0.1', '172.16.0.1', '172.31.0.1', '192.168.0.1', '169.254.169.254', '100.100.100.200', '224.0.0.1'],
	...['[fd00:ec2::254]', '[fe80::1]', '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', 'n8n', 'a.internal', 'b.local'],
];
const PUBLIC = ['8.8.8.8', '172.15.0.1', '172.32.0.1', '[2606:4700::1]', 'example.com', 'e.co.', 'local.e.co'];

it.each([...each(LOCAL, 'localhost'), ...each(PRIVATE, 'privateNetwork'), ...each(PUBLIC, 'elsewhere')])(
	'%s leads to %s',
	(host, network) => expect(networkOf(`http://${host}/`)).toBe(network),
);

// A promise of SECURITY.md.
describe("Within the limits of Downloads, nothing is downloaded from this machine or its network, except from the credential's origins, or if n8n's lists allow it", () => {
	const own = 'http://10.0.0.1:8080/rest';
	const unresolved = Object.assign(new Error('no address'), { syscall: 'getaddrinfo' });
	const allowed = { ok: true };
	const [blocked, unknown] = [new Error(), unresolved].map((error) => ({ ok: false, error }));
	it.each<[string, unknown, string, boolean]>([
		['that the filter allows', allowed, 'http://10.0.0.1/x', false],
		['that the filter blocks', blocked, 'https://rebound.example.com/x', true],
		// A proxy may know the name.
		['that n8n cannot resolve', unknown, 'https://files.example.com/x', false],
		['that n8n cannot resolve, with a private name', unknown, 'https://files.internal/x', true],
		["of the credential's own origin", blocked, 'http://10.0.0.1:8080/files', false],
		["of another port than the credential's", blocked, 'http://10.0.0.1/files', true],
		["without a filter, as in n8n's own Agents", undefined, 'http://10.0.0.1/x', true],
		['without a filter, elsewhere', undefined, 'https://files.example.com/x', false],
		['about which the filter fails', new Error('defect'), 'http://10.0.0.1/x', true],
	])('judges a target %s', async (_name, verdict, url, isRefused) => {
		const validateUrl = async () =>
			await (verdict instanceof Error ? Promise.reject(verdict) : Promise.resolve(verdict));
		const getSecureEgressFilter = (policy: string) => (policy === 'enforced' ? { validateUrl } : {});
		const helpers = verdict === undefined ? {} : { getSecureEgressFilter };
		expect(await isForbidden(helpers as never, new URL(url), [own, 'no URL'])).toBe(isRefused);
	});
});

const TYPE = 'text/plain';
const fileAt = (url: string) => ({ type: 'file', url, mediaType: TYPE });

/** Runs a task whose files are at these URLs, where `PORT` is the port of a server in this machine. */
async function download(urls: string[], egress: Egress = {}, baseUrl?: string) {
	const visited: string[] = [];
	const inside = await serve(({ url }, response) => {
		visited.push(url!);
		if (!url!.startsWith('/to/')) return void response.end('content of an internal server');
		return response.writeHead(302, { location: decodeURIComponent(url!.slice('/to/'.length)) }).end();
	});
	const at = (url: string) => url.replaceAll('PORT', new URL(inside.url).port);
	const server = await serveStream(() => events(...urls.map(at).map(fileAt), finish));
	// A name that a list may allow.
	const automationUrl = server.url.replace('127.0.0.1', 'localhost');
	const credentials = baseUrl === undefined ? {} : { baseUrl: at(baseUrl) };
	const form = { query: THREAD, options: { downloadLinks: true, simplify: false } };
	const run = async () => await runAutomation({ ...server.target, automationUrl }, form, { credentials });
	const { items, status } = await withEgress(egress, run);
	const [{ json, binary }] = items;
	return { warnings: json.warnings, fields: Object.keys(binary ?? {}), status, visited };
}

const REFUSED = 'is in a private network, from which no files are downloaded';

it.each(['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', '0.0.0.0', 'localhost', '[::1]'])(
	'nothing is requested from %s, and the run has a warning',
	async (host) => {
		const { warnings, fields, status, visited } = await download([`http://${host}:PORT/secret.txt`]);
		expect([fields, status, visited]).toEqual([[], 'success', []]);
		expect(warnings).toEqual([expect.stringMatching(`^File secret.txt was not downloaded: .+ ${REFUSED}$`)]);
	},
);

const OWN = 'http://127.0.0.1:PORT';
const to = (url: string) => `${OWN}/to/${encodeURIComponent(url)}`;

it("the credential's own origins may be in a private network, but no other that they redirect to", async () => {
	const urls = [`${OWN}/a.txt`, to(`${OWN}/b.txt`), to('http://localhost:PORT/c.txt'), to('file:///etc/passwd')];
	const { warnings, fields, visited } = await download(urls, {}, `${OWN}/rest`);
	expect([fields, visited.length]).toEqual([['file_0', 'file_1'], 5]);
	expect(warnings).toEqual([
		expect.stringMatching(new RegExp(`: localhost:\\d+ ${REFUSED}$`)),
		expect.stringContaining('its server redirected to no web link'),
	]);
});

it('follows at most five redirects', async () => {
	const chain = (count: number): string => (count ? to(chain(count - 1)) : `${OWN}/a.txt`);
	const { warnings, fields } = await download([chain(5), chain(6)], {}, OWN);
	expect(fields).toEqual(['file_0']);
	expect(warnings).toEqual([expect.stringContaining('its server redirected more than 5 times')]);
});

it.each<[string, Egress]>([
	['addresses', { allowedIpRanges: ['127.0.0.0/8', '::1/128'] }],
	['names', { allowedHostnames: ['localhost'] }],
])("n8n's list of allowed %s allows them", async (_list, egress) => {
	const { warnings, fields } = await download(['http://localhost:PORT/a.txt'], egress);
	expect([warnings, fields]).toEqual([[], ['file_0']]);
});
