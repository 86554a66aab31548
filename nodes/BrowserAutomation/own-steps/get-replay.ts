// The own steps of *Session: Get Replay*: waiting for a recording, and downloading its video.

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { FailureError, type Failure } from '../../shared/failure/failure';
import type { ReceivedResponse } from '../../shared/failure/response/service-failure';
import { isBusy } from '../../shared/failure/response/retry-after';
import { BusyGate } from '../../shared/http/busy';
import { ByteLimit, NoFileError, RAISE_LIMIT, Watchdog } from '../../shared/http/watchdog';
import { urlsIn } from '../../shared/http/credential';
import { isPlainText, openFile, problemOf } from '../../shared/http/download';
import { isObject } from '../../shared/values/nested';
import { quoted } from '../../shared/values/text';
import { idleTimeout, maximumWait, maxVideoSize } from '../resources/session';
import type { Call, OwnSteps, Patience } from '../request/request';
import { isFileWanted, withFile, type FileContent } from '../request/response';

const IN_PREPARATION = ['waiting_for_session', 'processing'];

const NOT_READY = 'Recordings are created some time after the session ends';
const NEVER = 'No recording exists for this session';

function explain(given: Failure, response: ReceivedResponse, call: Call): Failure {
	const { statusCode, body } = response;
	const { detail, error } = Object(body) as IDataObject;
	const objects = [body, detail, error].filter(isObject);
	const state = objects.find((object) => 'replay_status' in object || 'retryable' in object);
	const { replay_status: status, retryable } = state ?? {};
	// A 404 means three states, so workflows branch on these values (my-ax#93).
	const values = {
		...(typeof status === 'string' && { replay_status: status }),
		...(typeof retryable === 'boolean' && { retryable }),
	};
	const failure = { ...given, headers: response.headers, values };
	const isNotFound = statusCode === 404;
	const isOver = statusCode === 410 || retryable === false || ['failed', 'unavailable'].includes(status as string);
	if (isOver) return { ...failure, ...(statusCode === 410 || isNotFound ? { advice: NEVER } : {}), recording: 'never' };
	if (isNotFound && (retryable === true || IN_PREPARATION.includes(status as string))) {
		const turnOn = `${NOT_READY}. Turn on 'Wait for Recording'`;
		const advice = call.values.waitForRecording ? 'Check that the session has ended' : turnOn;
		const adviceForAgent = `${NOT_READY}. Call this tool again in a few minutes`;
		return { ...failure, advice, adviceForAgent, recording: 'coming' };
	}
	if (isBusy(response)) return { ...failure, recording: 'coming' };
	const isUnknown = isNotFound || retryable === true || response.cut || [502, 503, 504].includes(statusCode);
	return { ...failure, recording: isUnknown ? 'unknown' : 'never' };
}

const POLL_PAUSES = { first: 1000, longest: 10_000 };

/** Milliseconds in which the service may say nothing about the recording. A last request follows after a pause. */
const LONGEST_SILENCE = 30_000 - POLL_PAUSES.longest;

/** Requests are sent until the recording is ready or impossible, or nothing is known of it. */
function patience({ execution, values }: Call): Patience | undefined {
	if (!values.waitForRecording) return undefined;
	const maxWait = (values[maximumWait.name] as number) * 1000;
	const gate = new BusyGate(maxWait, execution.endsAt, quoted(maximumWait.displayName), POLL_PAUSES);
	let hasResponded = false;
	let silentUntil = performance.now() + LONGEST_SILENCE;
	const mayResend = ({ cause, httpCode, recording }: Failure): boolean => {
		hasResponded ||= recording !== undefined;
		if (recording === 'coming') silentUntil = performance.now() + LONGEST_SILENCE;
		// If the service has never responded, a failed connection will not come to life.
		const mayConnect = cause !== 'input' && httpCode !== undefined && (hasResponded || cause !== 'noConnection');
		const mayCome = recording === undefined ? mayConnect : recording !== 'never';
		return mayCome && performance.now() < silentUntil;
	};
	return { gate, mayResend };
}

/** It is not the service, so it gets no key. */
const STORAGE = 'the video storage';

/** Only a server that sends single bytes needs an hour. */
const MAX_VIDEO_MS = 3_600_000;

const NO_VIDEO = /^(text\/[\w.+-]+|application\/([\w.-]+\+)?(json|xml)|\w+\/(vnd\.apple\.|x-)?mpegurl)(?![\w.+-])/i;

const TRY_AGAIN = `Execute this node again, because video links expire after a short time. If it happens again, raise ${quoted(idleTimeout.displayName)} or ${quoted(maxVideoSize.displayName)}, or turn off 'Download Video' to get only the link`;

const videoFailure = (problem: string, { expired }: Watchdog): FailureError =>
	new FailureError({
		reason: `The video was not downloaded: ${problem}`,
		advice: expired === 'workflow' ? RAISE_LIMIT : TRY_AGAIN,
		effect: 'none',
	});

/** Adds the video if *Download Video* is on and there is one. */
export async function addVideo(item: INodeExecutionData, call: Call): Promise<INodeExecutionData> {
	const { context, credentials, execution, values } = call;
	const { mp4_url: url } = item.json;
	if (!isFileWanted(call) || typeof url !== 'string' || url === '') return item;
	const idle = (values[idleTimeout.name] as number) * 1000 || Infinity;
	const watchdog = new Watchdog({ idle, total: MAX_VIDEO_MS }, execution);
	const limit = new ByteLimit((values[maxVideoSize.name] as number) * 1e6, watchdog);
	try {
		const download = { url, credentialUrls: urlsIn(credentials), sender: STORAGE, refused: NO_VIDEO };
		const { body } = await openFile(context.helpers, download, watchdog);
		// n8n stores the stream, so the complete video is never in memory.
		const video = (body as unknown as Exclude<FileContent, Buffer>).map((piece: Uint8Array) => {
			// An HLS playlist is text, too (RFC 8216), whatever its media type.
			if (limit.size === 0 && isPlainText(piece)) throw new NoFileError(`${STORAGE} sent text instead of the file`);
			return limit.take(piece);
		});
		const withVideo = await withFile(call, item, video);
		limit.rejectEmpty(STORAGE);
		return withVideo;
	} catch (error) {
		throw videoFailure(problemOf(error as Error, watchdog, STORAGE), watchdog);
	} finally {
		watchdog.close();
	}
}

export const getReplaySteps: OwnSteps = { explain, patience, complete: addVideo };
