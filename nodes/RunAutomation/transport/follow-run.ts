import type { IExecuteFunctions } from 'n8n-workflow';

import { withoutSecrets } from '../../errors/secrets';
import type { RunRequest } from '../parameters/run-request';
import { RunReader, type Chunk, type Run, type StopCause } from '../stream';
import { readText, unexpectedResponseError, withStart, type StartResponse } from './start';

/** A run that was followed until it, or its connection, ended. */
export interface FollowedRun {
	threadId: string | undefined;
	run: Run;
}

/** Who is told about a run while it is going on. */
export interface RunObserver {
	/** The headers have arrived. */
	onStart(threadId: string | undefined): void;
	onChunk(chunk: Chunk): void;
	/** Called about once a second, whether something has arrived or not. */
	onTick(): void;
}

const STREAM_FORMAT_HEADER = /^x-.+-ai-ui-message-stream$/;
const NO_STREAM_TYPE = /^(application\/(.+\+)?json|text\/html|application\/(.+\+)?xml|text\/xml)\b/i;

/** Whether the response is a stream. Its content type is not promised: only what is surely something else is refused. */
function isStream({ statusCode, headers }: StartResponse): boolean {
	if (statusCode !== 200) return false;
	if (Object.keys(headers).some((name) => STREAM_FORMAT_HEADER.test(name.toLowerCase()))) return true;
	return !NO_STREAM_TYPE.test(String(headers['content-type'] ?? ''));
}

/**
 * Starts a run and reads its stream to the end.
 *
 * @throws NodeApiError if the response is not a stream
 */
export async function followRun(
	context: IExecuteFunctions,
	request: RunRequest,
	observer: RunObserver,
): Promise<FollowedRun> {
	const read = async (response: StartResponse) => {
		if (!isStream(response)) {
			throw unexpectedResponseError(context, request.itemIndex, response, await readText(response), 'a stream');
		}
		observer.onStart(response.threadId);
		const run = await readStream(response, request.maxBytes, observer);
		return { threadId: response.threadId, run: withoutSecretsInReasons(run, response.secrets) };
	};
	return await withStart(context, request, read, () => observer.onTick());
}

/** The reasons that a server gives may repeat what was sent to it, the key included. */
function withoutSecretsInReasons(run: Run, secrets: unknown[]): Run {
	const warnings = run.warnings.map((text) => withoutSecrets(text, secrets));
	if (run.reason === undefined) return { ...run, warnings };
	return { ...run, reason: withoutSecrets(run.reason, secrets), warnings };
}

async function readStream({ body, watchdog }: StartResponse, maxBytes: number, observer: RunObserver): Promise<Run> {
	const reader = new RunReader((chunk) => observer.onChunk(chunk));
	let received = 0;
	let cause: StopCause = { kind: 'ended' };
	try {
		for await (const bytes of body) {
			watchdog.touch();
			reader.write(bytes);
			received += bytes.length;
			const isTooLarge = received > maxBytes && !reader.isDone;
			if (isTooLarge)
				cause = {
					kind: 'broken',
					reason: `The stream is larger than the Maximum Response Size of ${maxBytes / 1e6} MB`,
				};
			if (reader.isDone || isTooLarge) {
				watchdog.close();
				break;
			}
		}
	} catch (error) {
		const code = (error as { code?: unknown }).code;
		if (watchdog.expired) cause = { kind: 'timed_out', reason: watchdog.expired };
		else if (watchdog.isStopped) cause = { kind: 'broken', reason: 'The execution was stopped during the run' };
		else
			cause = {
				kind: 'broken',
				reason: `The connection to the service broke during the run${code ? ` (${String(code)})` : ''}`,
			};
	}
	return reader.finish(cause);
}
