/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { Readable } from 'node:stream';

import { addVideo, getReplaySteps } from '../../nodes/BrowserAutomation/own-steps/get-replay';
import type { Call } from '../../nodes/BrowserAutomation/request/request';
import type { Failure } from '../../nodes/shared/failure/failure';
import type { Execution } from '../../nodes/shared/n8n/execution';
import { executionOf } from '../support/execution';

it('hands the stream of the video on as it is, so that it is never held in memory as a whole', async () => {
	const body = Readable.from(['film']);
	const httpRequest = jest.fn(async () => ({ statusCode: 200, headers: {}, body }));
	const film = { data: 'id', mimeType: 'video/mp4' };
	const prepareBinaryData = jest.fn(async (stream: Readable) => {
		await stream.toArray();
		return film;
	});
	const values = { downloadVideo: true, videoField: 'film', sessionId: 's/.1', idleTimeout: 300, maxVideoSize: 1 };
	const context = { helpers: { httpRequest, prepareBinaryData } };
	const call = { context, credentials: {}, execution: executionOf(), values, request: {} } as unknown as Call;
	const json = { mp4_url: 'https://storage.example.test/v' };
	expect(await addVideo(call, { json })).toEqual({ json, binary: { film } });
	expect(prepareBinaryData).toHaveBeenCalledWith(expect.any(Readable), 's_1.mp4', 'video/mp4');
	expect(httpRequest).toHaveBeenCalledWith(expect.objectContaining({ encoding: 'stream' }));
});

describe('waiting for a recording', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	const effect = 'none' as const;
	const late: Failure = Object.assign({ reason: 'late', advice: 'b', effect }, { recording: 'coming' });
	const silent: Failure = Object.assign({ reason: 'unknown', advice: 'b', effect }, { recording: 'unknown' });
	const away: Failure = { reason: 'away', advice: 'b', effect, cause: 'noConnection', httpCode: 'ECONNREFUSED' };

	/** Polls with these results in turn, of which the last one stays. */
	const wait = (
		results: Array<Failure | 'done'>,
		more: Partial<Execution> = {},
		ending = new AbortController().signal,
	) => {
		const values = { waitForRecording: true, maximumWait: 60 };
		const { gate, judge } = getReplaySteps.patience!({ execution: executionOf(more), values } as unknown as Call)!;
		const poll = jest.fn(() => (results.length > 1 ? results.shift()! : results[0]));
		const pollUntilDone = async () => {
			while (await gate.opens(ending)) {
				const result = poll();
				if (result === 'done') return result;
				gate.pauseAfter(judge(result));
			}
			return undefined;
		};
		const ended = pollUntilDone().catch(({ failure }: { failure: Failure }) => failure);
		return { ended, poll };
	};
	const secondsUntil = async (ended: Promise<unknown>) => {
		let isOver = false;
		void ended.then(() => (isOver = true));
		let seconds = 0;
		for (; !isOver && seconds < 200; seconds++) await jest.advanceTimersByTimeAsync(1000);
		return seconds;
	};

	it('ends within 100 ms if the node ends, without a timer that is left', async () => {
		const stop = new AbortController();
		const { ended, poll } = wait([late], {}, stop.signal);
		await jest.advanceTimersByTimeAsync(20);
		expect(jest.getTimerCount()).toBe(1);
		stop.abort();
		await jest.advanceTimersByTimeAsync(100);
		expect(await ended).toBeUndefined();
		expect([jest.getTimerCount(), poll.mock.calls.length]).toEqual([0, 1]);
	});

	it('continues while nothing listens, once the service has responded', async () => {
		const { ended } = wait([late, away, away, 'done']);
		await jest.advanceTimersByTimeAsync(20_000);
		expect(await ended).toBe('done');
	});

	it('continues to the end of its time while the service says that the recording comes', async () => {
		const { ended } = wait([late]);
		expect(await secondsUntil(ended)).toBeGreaterThan(59);
		expect(await ended).toMatchObject({
			reason: 'late',
			advice: "The node waited 60 seconds. b, or raise 'Max Wait (s)'",
		});
	});

	it.each([[[silent]], [[late, silent]], [[late, away]]])(
		'ends after 30 seconds without a word: %j',
		async (results) => {
			const { ended } = wait([...results]);
			expect(await secondsUntil(ended)).toBeLessThan(33);
			expect(await ended).toMatchObject({ reason: results.at(-1)!.reason, advice: 'b' });
		},
	);

	it('ends at the time limit of the workflow', async () => {
		const { ended } = wait([late], { endsAt: performance.now() + 20_000 });
		expect(await secondsUntil(ended)).toBeLessThan(22);
		expect(await ended).toMatchObject({ reason: 'late' });
	});
});

it('the form of Get Replay has options only if there is a video to download', () => {
	const { properties } = new BrowserAutomation().description;
	const ofReplay = properties.filter(({ displayOptions }) => displayOptions?.show?.operation?.includes('getReplay'));
	const [options] = ofReplay.filter(({ name }) => name === 'options');
	expect(options.displayOptions?.show).toMatchObject({ downloadVideo: [true] });
});
