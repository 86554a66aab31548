// The own steps of *Session: Get Replay*: waiting for a recording, and downloading its video.

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { FailureError, type Failure } from '../../shared/failure/failure';
import type { ServiceResponse } from '../../shared/failure/response/response';
import { isBusy } from '../../shared/failure/response/retry-after';
import { BusyGate } from '../../shared/http/busy';
import { Watchdog, type Body } from '../../shared/http/watchdog';
import { urlsIn } from '../../shared/http/credential';
import { ByteLimit, isTextFor, NoFileError, openFile, problemOf } from '../../shared/http/download';
import { isObject } from '../../shared/values/nested';
import { quoted } from '../../shared/values/text';
import { idleTimeout, maximumWait, maxVideoSize } from '../resources/session';
import type { Call, OwnSteps, Patience } from '../request/request';
import { isFileWanted, withFile, type FileContent } from '../request/response';

const IN_PREPARATION = ['waiting_for_session', 'processing'];

const UNAVAILABLE = [502, 503, 504];

const NOT_READY = {
	advice: "Recordings are created some time after the session ends. Turn on 'Wait for Recording'",
	adviceForAgent: 'Recordings are created some time after the session ends. Call this tool again in a few minutes',
};
const NEVER = 'No recording exists for this session';

interface ReplayFailure extends Failure {
	/** Whether the service says that the recording comes, or nothing about it. */
	recording?: 'coming' | 'never' | 'unknown';
}

/** A 404 means three states, so workflows branch on these values (my-ax#93). */
const replayValues = (status: unknown, retryable: unknown): IDataObject => ({
	...(typeof status === 'string' && { replay_status: status }),
	...(typeof retryable === 'boolean' && { retryable }),
});

const hasState = (body: Record<string, unknown>): boolean => 'replay_status' in body || 'retryable' in body;

function explain(given: Failure, response: ServiceResponse, { values }: Call): ReplayFailure {
	const { statusCode, body } = response;
	const { detail, error } = Object(body) as IDataObject;
	const { replay_status: status, retryable } = [body, detail, error].filter(isObject).find(hasState) ?? {};
	const failure = { ...given, headers: response.headers, values: replayValues(status, retryable) };
	const isMissing = statusCode === 404;
	const isOver = statusCode === 410 || retryable === false || ['failed', 'unavailable'].includes(status as string);
	if (isOver) return { ...failure, ...(statusCode === 410 || isMissing ? { advice: NEVER } : {}), recording: 'never' };
	if (isMissing && (retryable === true || IN_PREPARATION.includes(status as string))) {
		const advice = values.waitForRecording ? 'Check that the session has ended' : NOT_READY.advice;
		return { ...failure, ...NOT_READY, advice, recording: 'coming' };
	}
	if (isBusy(response)) return { ...failure, recording: 'coming' };
	const isUnknown = isMissing || retryable === true || response.cut || UNAVAILABLE.includes(statusCode);
	return { ...failure, recording: isUnknown ? 'unknown' : 'never' };
}

const POLL_PAUSES = { first: 1000, longest: 10_000 };

/** Milliseconds in which the service may say nothing about the recording. A last request follows after a pause. */
const LONGEST_SILENCE = 30_000 - POLL_PAUSES.longest;

/** Requests are sent until the recording is ready or impossible, or nothing is known of it. */
function patience({ execution, values }: Call): Patience | undefined {
	if (!values.waitForRecording) return undefined;
	const { endsAt } = execution;
	const gate = new BusyGate(
		(values.maximumWait as number) * 1000,
		endsAt,
		quoted(maximumWait.displayName),
		POLL_PAUSES,
	);
	let hasResponded = false;
	let silentUntil = performance.now() + LONGEST_SILENCE;
	const judge = (failure: ReplayFailure): Failure => {
		const { cause, httpCode, recording } = failure;
		hasResponded ||= recording !== undefined;
		if (recording === 'coming') silentUntil = performance.now() + LONGEST_SILENCE;
		// A lost connection is tolerated only after the service has responded once.
		const isLost = cause !== 'input' && httpCode !== undefined && (hasResponded || cause !== 'noConnection');
		const mayCome = recording === undefined ? isLost : recording !== 'never';
		if (mayCome && performance.now() < silentUntil) return { ...failure, cause: 'busy' };
		return { ...failure, cause: cause === 'busy' ? undefined : cause };
	};
	return { gate, judge };
}

const STORAGE = 'the video storage';

/** Only a server that sends single bytes needs an hour. */
const MAX_VIDEO_MS = 3_600_000;

/** An HLS playlist begins like this (RFC 8216), whatever its media type. */
const PLAYLIST = '#EXTM3U';

type NodeStream = Exclude<FileContent, Buffer>;

function checkBeginning(piece: Uint8Array): void {
	const isPlaylist = Buffer.from(piece).toString('latin1', 0, PLAYLIST.length) === PLAYLIST;
	if (isPlaylist) throw new NoFileError(`${STORAGE} sent a playlist instead of the file`);
	if (isTextFor('video/mp4', piece)) throw new NoFileError(`${STORAGE} sent text instead of the file`);
}

/** Adds the video if *Download Video* is on and there is one. */
export async function addVideo(call: Call, item: INodeExecutionData): Promise<INodeExecutionData> {
	const { execution, values } = call;
	const { mp4_url: url } = item.json;
	if (!isFileWanted(call) || typeof url !== 'string' || url === '') return item;
	const idle = (values[idleTimeout.name] as number) * 1000 || Infinity;
	const watchdog = new Watchdog({ idle, total: MAX_VIDEO_MS }, execution);
	const maxBytes = (values[maxVideoSize.name] as number) * 1e6;
	try {
		const stream = (await openVideo(call, url, watchdog)) as unknown as NodeStream;
		const check = new ByteLimit(STORAGE, maxBytes, watchdog);
		// n8n stores the stream, so the complete video is never in memory.
		const video = stream.map((piece: Uint8Array) => {
			if (check.size === 0) checkBeginning(piece);
			return check.take(piece);
		});
		const withVideo = await withFile(call, item, video);
		check.end();
		return withVideo;
	} catch (error) {
		throw error instanceof FailureError ? error : videoFailure(problemOf(error as Error, watchdog, STORAGE));
	} finally {
		watchdog.close();
	}
}

const NO_VIDEO = /^(text\/[\w.+-]+|application\/([\w.-]+\+)?(json|xml)|\w+\/(vnd\.apple\.|x-)?mpegurl)(?![\w.+-])/i;

/** The storage is not the service, so it gets no key. */
async function openVideo({ context, credentials }: Call, url: string, watchdog: Watchdog): Promise<Body> {
	if (!/^https?:\/\//i.test(url)) throw new NoFileError('its link is not valid');
	const download = { url, credentialUrls: urlsIn(credentials), sender: STORAGE, refused: NO_VIDEO };
	return (await openFile(context.helpers, download, watchdog)).body;
}

const VIDEO_LIMITS = [idleTimeout, maxVideoSize].map(({ displayName }) => quoted(displayName)).join(' or ');

const videoFailure = (problem: string): FailureError =>
	new FailureError({
		reason: `The video was not downloaded: ${problem}`,
		advice: `Execute this node again, because video links expire after a short time. If it happens again, raise ${VIDEO_LIMITS}, or turn off 'Download Video' to get only the link`,
		effect: 'none',
	});

export const getReplaySteps: OwnSteps = {
	explain,
	patience,
	complete: async ([item], call) => [await addVideo(call, item!)],
};
