import { quoted, refused, type Failure } from '../../errors/failure';
import { wasNothingSent } from '../../errors/no-response';
import type { ServiceResponse } from '../../errors/service-error';
import { requestedWait, waitUntil } from '../../execution/busy';
import { stopSignalOf } from '../../execution/watchdog';
import { playlistField, videoField } from '../resources/session/getReplay';
import type { Answer, Call, OwnSteps } from './call';
import { itemsOf } from './read-response';
import { addVideo } from './video';

const FINAL = ['failed', 'unavailable'];

const ON_ITS_WAY = ['waiting_for_session', 'processing'];

const BUSY = ['429', '502', '503', '504', '529'];

const NOT_READY = "Recordings are created some time after the session ends. Turn on 'Wait for Recording'";
const NEVER = 'This session has no recording and will not get one';

interface ReplayFailure extends Failure {
	mayComeLater?: boolean;
}

/** What a response that is not a success says about the recording. If it tells no state, a 404 means that it may come. */
function explain(failure: Failure, { statusCode, body }: ServiceResponse): ReplayFailure {
	const { replay_status: status, retryable } = Object(body) as { replay_status?: unknown; retryable?: unknown };
	const isMissing = statusCode === 404;
	const isOver = statusCode === 410 || retryable === false || FINAL.includes(status as string);
	const mayComeLater = !isOver && (retryable === true || isMissing || BUSY.includes(String(statusCode)));
	const isOnItsWay = isMissing && (retryable === true || ON_ITS_WAY.includes(status as string));
	if (isOnItsWay && mayComeLater) return { ...failure, advice: NOT_READY, mayComeLater };
	const isNever = statusCode === 410 || (isMissing && !mayComeLater);
	return { ...failure, advice: isNever ? NEVER : failure.advice, mayComeLater };
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Asks for the replay, and if *Wait for Recording* is on, asks again until the recording is ready. It gives up when the
 * maximum wait is over, at once if there will be no recording, and when the execution is stopped.
 */
async function ask({ context, values }: Call, once: () => Promise<Answer>): Promise<Answer | undefined> {
	if (!values.waitForRecording) return undefined;
	const seconds = values.maximumWait as number;
	const stop = stopSignalOf(context);
	const end = performance.now() + seconds * 1000;
	let hasResponded = false;
	for (let next = FIRST_PAUSE_MS; ; next = Math.min(next * 1.5, LONGEST_PAUSE_MS)) {
		const answer = await once();
		if (!mayComeLater(answer, hasResponded)) return answer;
		hasResponded ||= answer.response !== undefined;
		const left = end - performance.now();
		const requested = requestedWait(answer.response?.headers ?? {});
		if (left <= 0 || (requested ?? 0) > left) {
			const advice = left <= 0 ? afterWaiting(seconds) : tooLong(requested!);
			return { failure: { ...answer.failure!, advice } };
		}
		const askAgainAt = performance.now() + Math.min(requested ?? next, left);
		await waitUntil(() => askAgainAt, stop);
		if (stop?.aborted) throw refused('The execution was stopped while waiting', '');
	}
}

/** Whether a recording may come. A connection may break, but not before anything has ever responded. */
function mayComeLater({ response, failure }: Answer, hasResponded: boolean): boolean {
	if (!failure || response) return (failure as ReplayFailure | undefined)?.mayComeLater === true;
	const { isInput, httpCode } = failure;
	return !isInput && httpCode !== undefined && (hasResponded || !wasNothingSent(httpCode));
}

const inSeconds = (seconds: number): string => `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;

const afterWaiting = (seconds: number): string =>
	`Waited ${inSeconds(seconds)}. Check that the session has ended, then raise 'Maximum Wait (Seconds)'`;

const tooLong = (milliseconds: number): string =>
	`The service asks to wait ${inSeconds(Math.ceil(milliseconds / 1000))}. Raise 'Maximum Wait (Seconds)'`;

export const getReplaySteps: OwnSteps = {
	/** Refuses the same name for the playlist and the video: one of the two would be lost. */
	prepare({ values }) {
		const video = values[videoField.name];
		if (video === undefined || video !== values[playlistField.name]) return;
		const labels = [playlistField, videoField].map(({ displayName }) => quoted(displayName));
		throw refused(labels.join(' is the same as '), 'Enter different names');
	},
	ask,
	explain,
	async read({ body }, call) {
		const [item, ...others] = itemsOf(body);
		return item ? [await addVideo(call, item, body), ...others] : [];
	},
};
