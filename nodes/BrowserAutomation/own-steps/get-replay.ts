// The own steps of *Session: Get Replay*: waiting for a recording, and downloading its video.

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { FailureError, inputError, type Failure } from '../../shared/failure/failure';
import type { ServiceResponse } from '../../shared/failure/response/response';
import { isBusy, requestedWait } from '../../shared/failure/response/retry-after';
import { waitUntil } from '../../shared/http/busy';
import { Watchdog, type Body } from '../../shared/http/watchdog';
import { urlsIn } from '../../shared/http/credential';
import { ByteLimit, isTextFor, NoFileError, openFile, problemOf } from '../../shared/http/download';
import { isObject } from '../../shared/values/nested';
import { counted, quoted } from '../../shared/values/text';
import { idleTimeout, maxVideoSize, videoField } from '../resources/session';
import type { SendResult, Call, OwnSteps } from '../request/call';
import { itemsOf, withFile, type FileContent } from '../request/read-response';

const IN_PREPARATION = ['waiting_for_session', 'processing'];

const UNAVAILABLE = [502, 503, 504];

const NOT_READY = {
	advice: "Recordings are created some time after the session ends. Turn on 'Wait for Recording'",
	adviceForAgent: 'Recordings are created some time after the session ends. Call this tool again in a few minutes',
};
const NEVER = 'No recording exists for this session';

interface ReplayFailure extends Failure {
	mayComeLater?: boolean;
	isInPreparation?: boolean;
}

/** A 404 means three states, so workflows branch on these values (my-ax#93). */
const replayValues = (status: unknown, retryable: unknown): IDataObject => ({
	...(typeof status === 'string' && { replay_status: status }),
	...(typeof retryable === 'boolean' && { retryable }),
});

const hasState = (body: Record<string, unknown>): boolean => 'replay_status' in body || 'retryable' in body;

/** A recording may still come after a 404 that names no state. */
function explain(given: Failure, response: ServiceResponse): ReplayFailure {
	const { statusCode, body } = response;
	const { detail, error } = Object(body) as IDataObject;
	const { replay_status: status, retryable } = [body, detail, error].filter(isObject).find(hasState) ?? {};
	const failure = { ...given, values: replayValues(status, retryable) };
	const isMissing = statusCode === 404;
	const isOver = statusCode === 410 || retryable === false || ['failed', 'unavailable'].includes(status as string);
	const mayComeLater =
		!isOver && (retryable === true || isMissing || isBusy(response) || UNAVAILABLE.includes(statusCode));
	const isInPreparation = isMissing && (retryable === true || IN_PREPARATION.includes(status as string));
	if (isInPreparation && mayComeLater) return { ...failure, ...NOT_READY, mayComeLater, isInPreparation };
	const isNever = statusCode === 410 || (isMissing && !mayComeLater);
	return { ...failure, advice: isNever ? NEVER : failure.advice, mayComeLater };
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 10_000;

/**
 * Sends requests until the recording is ready, or impossible.
 *
 * @returns undefined if *Wait for Recording* is off
 */
async function requestUntilReady(
	{ execution: { stop }, values }: Call,
	once: () => Promise<SendResult>,
): Promise<SendResult | undefined> {
	if (!values.waitForRecording) return undefined;
	const seconds = values.maximumWait as number;
	const end = performance.now() + seconds * 1000;
	let hasResponded = false;
	for (let next = FIRST_WAIT_MS; ; next = Math.min(next * 1.5, LONGEST_WAIT_MS)) {
		const result = await once();
		if (!mayComeLater(result, hasResponded)) return result;
		hasResponded ||= result.response !== undefined;
		const left = end - performance.now();
		const requested = requestedWait(result.response?.headers);
		const advised = (advice: string) => ({ failure: { ...result.failure!, advice: `${advice} 'Max Wait (s)'` } });
		if (left <= 0) {
			// Only a 404 says something about the session.
			if (result.response?.statusCode !== 404) return result;
			const what = (result.failure as ReplayFailure).isInPreparation ? '' : "'Session ID', and ";
			return advised(`Waited ${counted(seconds, 'second')}. Check ${what}that the session has ended, then raise`);
		}
		if (requested !== undefined && requested > left) {
			return advised(`The service requests a wait of ${counted(Math.ceil(requested / 1000), 'second')}. Raise`);
		}
		const nextAt = performance.now() + Math.min(requested ?? next, left);
		await waitUntil(nextAt, stop);
		if (stop?.aborted) throw inputError('The execution was stopped while waiting', '');
	}
}

/** A lost connection is tolerated only after the service has responded once. */
function mayComeLater({ response, failure }: SendResult, hasResponded: boolean): boolean {
	if (!failure || response) return (failure as ReplayFailure | undefined)?.mayComeLater === true;
	const { cause, httpCode } = failure;
	return cause !== 'input' && httpCode !== undefined && (hasResponded || cause !== 'noConnection');
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
export async function addVideo(call: Call, item: INodeExecutionData, body: unknown): Promise<INodeExecutionData> {
	const { execution, values } = call;
	const { mp4_url: url } = Object(body) as IDataObject;
	if (!values.downloadVideo || typeof url !== 'string' || url === '') return item;
	const idle = (values[idleTimeout.name] as number) * 1000 || Infinity;
	const workflow = execution.endsAt - performance.now();
	const watchdog = new Watchdog({ idle, total: MAX_VIDEO_MS, workflow }, execution.stop);
	const maxBytes = (values[maxVideoSize.name] as number) * 1e6;
	try {
		const stream = (await openVideo(call, url, watchdog)) as unknown as NodeStream;
		const check = new ByteLimit(STORAGE, maxBytes, watchdog);
		// n8n stores the stream, so the complete video is never in memory.
		const video = stream.map((piece: Uint8Array) => {
			if (check.size === 0) checkBeginning(piece);
			return check.take(piece);
		});
		const stored = { field: videoField.name, extension: 'mp4', mediaType: 'video/mp4' };
		const withVideo = await withFile(call, item, stored, video);
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

const LIMITS = [idleTimeout, maxVideoSize].map(({ displayName }) => quoted(displayName)).join(' or ');

const videoFailure = (problem: string): FailureError =>
	new FailureError({
		reason: `The video was not downloaded: ${problem}`,
		advice: `Execute this node again, because video links expire after a short time. If it happens again, raise ${LIMITS}, or turn off 'Download Video' to get only the link`,
		effect: 'none',
	});

export const getReplaySteps: OwnSteps = {
	send: requestUntilReady,
	explain,
	async read({ body }, call) {
		const [item, ...others] = itemsOf(body);
		return item ? [await addVideo(call, item, body), ...others] : [];
	},
};
