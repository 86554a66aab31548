import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { readDataUrl } from '../../nodes/shared/values/data-url';
import type { RunRequest } from '../../nodes/RunAutomation/form/run-request';
import { attachFiles } from '../../nodes/RunAutomation/output/files';
import { continued, runAutomation, type Extra } from '../engine/run-node';
import { events, finish, runStream, serveStream } from '../engine/serve-stream';
import { THREAD } from '../engine/thread-of';
import { executionOf } from '../support/execution';
import { useStoppedClock } from '../support/clock';
import { each } from '../support/each';
import { happens } from '../support/event';
import { letRead } from '../support/let-read';
import { PIXEL_PNG } from '../service/agent/canned';
import type { Responder } from '../support/serve';

const NEVER = Infinity;
const blocked = { type: 'error', errorText: 'The site blocked the agent' };
const file = (url: string, mediaType = 'text/plain') => ({ type: 'file', url, mediaType });

describe('files', () => {
	/** Runs one start whose files are at these paths of its server, or have these URLs. No connection may stay open behind it. */
	async function runFiles(
		files: Array<[url: string, type?: string, name?: string]>,
		options: INodeParameters,
		other: Responder,
		extra: Extra = {},
	) {
		const keys: unknown[] = [];
		const sent = ([url, type, filename]: (typeof files)[number]) => ({
			...file(url.startsWith('/') ? server.url + url : url.replace('SERVER', server.url), type),
			filename,
		});
		const server = await serveStream(
			() => events(...files.map(sent), finish),
			(request, response, body) => {
				keys.push(request.headers.authorization);
				other(request, response, body);
			},
		);
		const ran = await runAutomation(server.target, { query: THREAD, options: { simplify: false, ...options } }, extra);
		await happens('every connection is closed', server.allClosed());
		return { ...ran, keys, url: server.url, ...ran.items[0] };
	}

	const linksTo = (urls: string[]) => urls.map((url): [string] => [url]);
	const report: Array<[string, string]> = [
		['data:text/csv;base64,YSxiCjEsMgo=', 'text/csv'],
		['data:text/plain,caf%C3%A9', 'text/plain'],
		['/files/report%20one.pdf?signature=1', 'application/pdf'],
		['/missing.png', 'image/png'],
		['blob:nowhere', 'image/png'],
	];
	const serveFiles: Responder = ({ url }, response) =>
		url!.startsWith('/files/') ? response.end('%PDF-1.7 bytes') : response.writeHead(404).end();
	const csv = { media_type: 'text/csv', filename: 'file-0.csv', size: 8, binary: 'file_0' };
	const plain = { media_type: 'text/plain', filename: 'file-1.txt', size: 5, binary: 'file_1' };

	it('that the stream carries become binary data, and links stay links', async () => {
		const { json, binary, keys, url } = await runFiles(report, {}, serveFiles);
		expect(Object.keys(binary!)).toEqual(['file_0', 'file_1']);
		expect(Buffer.from(binary!.file_0.data, 'base64').toString()).toBe('a,b\n1,2\n');
		expect(binary!.file_0).toMatchObject({ mimeType: 'text/csv', fileName: 'file-0.csv' });
		const links = report.slice(2).map(([link, media_type]) => ({ media_type, url: link.replace(/^(?=\/)/, url) }));
		expect(json.files).toEqual([csv, plain, ...links]);
		expect(keys).toEqual([]);
	});

	it('that are linked are downloaded without the key if that is asked for', async () => {
		const { json, binary, keys, url, hints } = await runFiles(report, { downloadLinks: true }, serveFiles);
		expect(Object.keys(binary!)).toEqual(['file_0', 'file_1', 'file_2']);
		expect(Buffer.from(binary!.file_2.data, 'base64').toString()).toBe('%PDF-1.7 bytes');
		const [media_type, filename, link] = ['application/pdf', 'report one.pdf', url + report[2][0]];
		expect(binary!.file_2).toMatchObject({ mimeType: media_type, fileName: filename });
		const linked = { media_type, filename, size: 14, binary: 'file_2', url: link };
		const lost = { media_type: 'image/png', reason: 'its server responded with status 404' };
		const missing = { ...lost, filename: 'missing.png', url: `${url}/missing.png` };
		expect((json.files as object[]).slice(0, 4)).toEqual([csv, plain, linked, missing]);
		expect(hints.map(({ message }) => message)).toEqual(['Missing files: 2']);
		expect(json.warnings).toEqual([
			expect.stringMatching(/^File missing\.png was not downloaded: .*404/),
			expect.stringMatching(/^File .+ was not downloaded: its URL is neither/),
		]);
		expect(keys).toEqual([undefined, undefined]);
	});

	// n8n#15292, dify#12608, yarle#162, vercel/ai#10735, mastra#21561
	it('are named by their server, else by the run, else by their path, with the extension of their type', async () => {
		const office = 'application/vnd.openxmlformats-officedocument';
		const names: Array<[url: string, type: string, header: string, filename: string | undefined, name: string]> = [
			['/dl?id=7', '', 'attachment; filename="Orders March.xlsx"', 'other.xlsx', 'Orders March.xlsx'],
			['/dl/8', '', "attachment; filename=a.txt; filename*=UTF-8''M%C3%A4rz%2Fb.csv", undefined, 'b.csv'],
			['/dl/9', '', "inline;FileName*=ISO-8859-1''M%E4rz.csv", undefined, 'März.csv'],
			// Node sends and reads the bytes of a header as Latin-1.
			['/dl/10', '', 'attachment; filename="M\u00c3\u00a4rz 100%25.csv"', undefined, 'März 100%25.csv'],
			['/dl/11', '', 'attachment; filename="M\u00e4rz;.csv"', undefined, 'März;.csv'],
			['/dl/a.txt', '', 'attachment; filename=".."', undefined, 'a.txt'],
			['/dl/12', '', 'attachment', '..\\C:\\b c.pdf', 'b c.pdf'],
			['/..%2F..%2Fetc%2Fpasswd', '', '', undefined, 'passwd.bin'],
			['/a%2F..', 'text/PLAIN', '', undefined, 'file-8.txt'],
			['/a%0D%0A%00%E2%80%AEfdp.exe', '', '', undefined, 'a fdp.exe'],
			// n8n's database stores no more than 255 characters.
			[`/${'x'.repeat(5000)}.pdf`, '', '', undefined, `${'x'.repeat(196)}.pdf`],
			['data:,x', `${office}.spreadsheetml.sheet`, '', undefined, 'file-11.xlsx'],
			['data:,x', 'text/csv;charset=utf-8', '', undefined, 'file-12.csv'],
			['data:,x', 'text/csv', '', 'a/b.csv', 'b.csv'],
		];
		const files = names.map(([url, type, , filename]): [string, string, string?] => [url, type, filename]);
		const headers = new Map(names.map(([url, , header]) => [url, header]));
		const answer: Responder = ({ url }, response) => {
			const header = headers.get(url!);
			response.writeHead(200, header ? { 'content-disposition': header } : {}).end('x');
		};
		const { binary, json } = await runFiles(files, { downloadLinks: true }, answer);
		const expected = names.map(([, , , , name]) => name);
		expect(names.map((_, index) => binary![`file_${index}`]?.fileName)).toEqual(expected);
		expect((json.files as Array<{ filename: string }>).map(({ filename }) => filename)).toEqual(expected);
	});

	// transferwise/neptune-web#1528, Chainlit/chainlit#2470: a type with a wildcard, or without a subtype, is no media type.
	it('have the type of their URL or their bytes if the run gives an incomplete type', async () => {
		const png = `data:image/png;base64,${PIXEL_PNG}`;
		const incomplete: Array<[string, string]> = [
			[png, 'image/*'],
			[png.replace('image/png', ''), 'image'],
		];
		const { binary, json } = await runFiles([...incomplete, ['data:text/csv;charset=utf-8,a', '*/*']], {}, () => {});
		const found = Object.values(binary!).map(({ mimeType, fileName }) => [mimeType, fileName]);
		const pngs = [0, 1].map((index) => ['image/png', `file-${index}.png`]);
		expect(found).toEqual([...pngs, ['text/csv', 'file-2.csv']]);
		expect((json.files as IDataObject[]).map(({ media_type: type }) => type)).toEqual(found.map(([type]) => type));
	});

	// Skyvern-AI/skyvern#7411, sonichi/sutando#2268
	const instead = (type: string) => `its server sent ${type} instead of the file`;
	it.each<[string, number, string, string | undefined]>([
		['application/pdf', 200, 'text/html; charset=utf-8', instead('text/html')],
		['image/png', 200, 'application/problem+json', instead('application/problem+json')],
		['text/csv', 200, 'Application/XML', instead('Application/XML')],
		// OpenVoiceUI PR#470: the bytes decide, whatever the type of the response is.
		['application/pdf', 200, 'application/octet-stream', instead('text')],
		['audio/mpeg', 200, '', instead('text')],
		['application/vnd.ms-excel', 200, 'text/plain', undefined],
		['text/csv', 200, 'text/plain', undefined],
		['', 200, 'text/html', undefined],
		['application/pdf', 204, '', 'its server responded with status 204'],
	])('that are links of type %j, with status %i and type %j, are files unless: %j', async (type, status, sent, why) => {
		const answer: Responder = (_request, response) =>
			response.writeHead(status, sent ? { 'content-type': sent } : {}).end(status === 204 ? '' : 'Sign in');
		const { json, binary } = await runFiles([['/a', type]], { downloadLinks: true }, answer);
		expect(json.warnings).toEqual(why ? [`File a was not downloaded: ${why}`] : []);
		expect(binary === undefined).toBe(why !== undefined);
	});

	it.each<[string, string | undefined]>([
		['data:text/plain;base64,aGk%3D', 'hi'],
		['DATA:a/b ; BASE64 ,aGn_-w==', 'hi\xff\xfb'],
		['data:;base64,aG\nkh', 'hi!'],
		['data:,%FF%41%', '\xffA%'],
		['data:,é,%C3%A9', '\xc3\xa9,\xc3\xa9'],
		...each(['data:;base64,@@', 'data:;base64,a', 'data:;base64,aGk===', 'data:;base64,é'], undefined),
		// CowAgent#3131
		...each(['data:image/png;base64,', 'data:image/png;base64, \n', 'data:text/plain,', 'data:,'], undefined),
	])('that are sent as %j are read as every browser reads them, or not at all', (url, expected) => {
		const { bytes, problem } = readDataUrl(url);
		expect([bytes?.toString('latin1'), problem === undefined]).toEqual([expected, expected !== undefined]);
	});

	// vercel/ai#20951
	it.each(['data:image/png;base64,', 'data:image/png;charset=x; base64, ', 'data:;base64,data:a/b;base64,'])(
		'whose URL is the content of a data: URL are those at this URL: %j',
		async (around) => {
			const files: Array<[string, string]> = [[`${around}SERVER/files/a.txt`, 'text/plain']];
			const { url, json } = await runFiles(files, { downloadLinks: true }, serveFiles);
			expect(json.files).toMatchObject([{ url: `${url}/files/a.txt`, binary: 'file_0' }]);
		},
	);

	it('that cannot be read are named in an error item', async () => {
		const failed = await runStream([file('data:text/plain'), blocked], {}, continued);
		const warnings = ['File file-0 was not read: its data: URL has no data'];
		expect(failed.items[0].json.details).toMatchObject({ warnings });
	});

	it('are never in the data of an error, which says that they are lost', async () => {
		const { error } = await runStream([file(`data:image/png;base64,${'A'.repeat(40_000)}`, 'image/png'), blocked]);
		expect(JSON.stringify(error?.context).length).toBeLessThan(2000);
		expect(error?.context.data).toMatchObject({ warnings: ['Files of this run were not kept'] });
	});

	const rowsOf = (rows: string, chunks = [finish]): [object[], INodeParameters] => {
		const text = { type: 'text-delta', id: '1', delta: rows };
		const columns = { column: [{ name: 'a', type: 'number' }] };
		return [[file('data:text/plain,hello'), text, ...chunks], { operation: 'rows', columns }];
	};
	const length = [{ type: 'finish', finishReason: 'length' }];

	it.each<[string, [object[], INodeParameters]]>([
		['do not fit', rowsOf('{"rows":[{"a":"x"}]}')],
		['do not count, because it stopped early', rowsOf('{"rows":[{"a":1}]}', length)],
	])('of a run whose rows %s are binary data of the error item', async (_name, [body, form]) => {
		const [{ json, binary }] = (await runStream(body, form, continued)).items;
		expect(json.details).toMatchObject({ files: [{ binary: 'file_0', size: 5 }] });
		expect(binary!.file_0.data).toBe(Buffer.from('hello').toString('base64'));
		expect(JSON.stringify(json)).not.toContain('not kept');
	});

	/** Attaches files by themselves, with what a form does not set. */
	const attach = async (urls: string[], request: object = {}, helpers: object = {}) => {
		const limits = { idle: NEVER, total: NEVER };
		const item = {
			context: { helpers: { prepareBinaryData: async () => await Promise.resolve({}), ...helpers } } as never,
			execution: executionOf(),
			request: { downloadLinks: true, maxBytes: 9, limits, credentials: {}, ...request } as unknown as RunRequest,
		};
		return await attachFiles(
			item,
			urls.map((url) => ({ url })),
			NEVER,
		);
	};

	it('that n8n cannot store are named in a warning', async () => {
		const prepareBinaryData = async () => await Promise.reject(new Error('Disk full'));
		const { warnings } = await attach(['data:,x'], {}, { prepareBinaryData });
		expect(warnings).toEqual(['File file-0 was not stored: Disk full']);
	});

	it('that are links are downloaded up to 100, and the rest is told', async () => {
		let requests = 0;
		const answer: Responder = (_request, response) => (requests++, response.end('x'));
		const links = Array.from({ length: 103 }, (_, index) => `/${index}.txt`);
		const sent = linksTo(['data:,x', ...links]);
		const { json, binary, hints } = await runFiles(sent, { downloadLinks: true }, answer);
		expect([requests, Object.keys(binary!).length]).toEqual([100, 101]);
		const files = json.files as object[];
		expect(files[100]).toHaveProperty('binary');
		for (const lost of files.slice(101)) expect(lost).toMatchObject({ reason: 'it is not one of the first 100' });
		expect(json.warnings).toEqual(['Only the first 100 linked files were downloaded. Not downloaded: 3']);
		expect(hints.map(({ message }) => message)).toEqual(['Missing files: 3']);
	});

	describe('that hang', () => {
		const clock = useStoppedClock();
		const options = { downloadLinks: true, idleTimeout: 200, totalTimeout: 300 };
		const serveSlowly: Responder = (_, response) => {
			response.flushHeaders();
			void clock.pass(250);
		};

		it('share the deadline of their run', async () => {
			const links = [0, 1, 2, 3, 4].map((index) => `/${index}.txt`);
			const { json } = await runFiles(linksTo(links), options, serveSlowly);
			const reasons = (json.warnings as string[]).map((warning) => warning.split("'")[1]);
			expect(reasons).toEqual(['Idle Timeout (s)', ...Array(4).fill('Run Timeout (s)')]);
		});
	});

	it('are bounded in size together, and the connection of one that is too large is closed', async () => {
		const ended: string[] = [];
		const httpRequest = async ({ url }: { url: string }) => {
			async function* pieces() {
				try {
					const size = Number(/\d+/.exec(url)?.[0] ?? NEVER);
					for (let left = size; left > 0; left -= 1000) yield Buffer.alloc(Math.min(left, 1000), 'x');
				} finally {
					ended.push(url);
				}
			}
			return await Promise.resolve({ statusCode: 200, headers: {}, body: pieces() });
		};
		const [large, rest] = [3000, 301].map((size) => `data:text/plain,${'a'.repeat(size)}`);
		const links = ['endless', '2000.txt', '1199.txt'].map((name) => `https://files.example/${name}`);
		const { binary, warnings } = await attach([large, large, ...links, rest], { maxBytes: 7500 }, { httpRequest });
		expect(ended).toEqual(links);
		// Those that were sent come first, and one that has just the size of what is left fits.
		expect(Object.keys(binary)).toEqual(['file_0', 'file_1', 'file_5', 'file_4']);
		const tooLarge = (name: string) =>
			`File ${name} was not downloaded: it exceeds 64 MB, together with other files of the run`;
		expect(warnings).toEqual(['endless', '2000.txt'].map(tooLarge));
	});

	it('stop being fetched when the execution is stopped', async () => {
		let begin = () => {};
		const cancelWhen = new Promise<void>((resolve) => (begin = resolve)).then(letRead);
		const answer: Responder = (_, response) => void response.write('x', begin);
		const { status } = await runFiles([['/silent.txt']], { downloadLinks: true }, answer, { cancelWhen });
		expect(status).toBe('canceled');
	});
});
