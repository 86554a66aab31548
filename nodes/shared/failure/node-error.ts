// Makes a failure's error or error item, with each text where its reader sees it.

import {
	NodeApiError,
	NodeOperationError,
	type IBinaryKeyData,
	type IDataObject,
	type INodeExecutionData,
} from 'n8n-workflow';

import type { Execution } from '../n8n/execution';
import { changeTexts } from '../values/nested';
import { boundText, shorten, shortenList } from '../values/text';
import { withAdvice, type Effect, type Failure, type KnownRun } from './failure';
import { withoutFileContents } from '../values/data-url';
import { maskOf } from '../mask/secrets';

type NodeError = NodeApiError | NodeOperationError;

type Audience = Pick<Execution, 'continues' | 'isStreaming' | 'isTool' | 'node'>;

/** Characters of a server's words: a longer text repeats the request, or is a page. */
const MAX_SERVER_CHARACTERS = 500;

/** Characters of an agent's words. */
const MAX_AGENT_CHARACTERS = 4000;

/** Characters of a reason, and of a run's text. */
const MAX_CHARACTERS_FOR_AGENT = 2000;

/** Threads in a message. The error data has all. */
const MAX_THREADS = 5;

interface FailurePlace {
	/** Undefined if it concerns all items. */
	itemIndex: number | undefined;
	/** True if the request starts a billed run. */
	startsRun: boolean;
	hasRuns?: boolean;
	/** True if the service has not reported the end of one of the item's runs. */
	mayBeInProgress?: boolean;
	othersHaveRuns?: boolean;
	/** A sentence on other items, and what it costs to start them again. */
	others?: string;
}

function noRunSentence({ cause, effect }: Failure, place: FailurePlace): string {
	if (!place.startsRun || effect !== 'none') return '';
	if (!place.hasRuns) return place.othersHaveRuns ? 'No run was started for this item' : 'No run was started';
	const isWarned = place.mayBeInProgress && cause !== 'threadInUse';
	return `No further run was started${isWarned ? ', but an earlier run may still be in progress' : ''}`;
}

const TELL_USER = 'Tell the user. Calling this tool again starts another billed run';

const FIRST_ERROR_FIELDS: Array<keyof KnownRun> = ['status', 'thread_id', 'reason', 'blocked_by', 'warnings', 'text'];

const inOrder = (run: KnownRun): KnownRun => ({
	...Object.fromEntries(FIRST_ERROR_FIELDS.filter((key) => key in run).map((key) => [key, run[key]])),
	...run,
});

/** Only the agent's user can change the form or the credential. */
function nextStepForAgent({ node }: Audience, failure: Failure, place: FailurePlace): string {
	const { advice, adviceForAgent, cause, effect, httpCode, run } = failure;
	if (run) {
		const mayContinue = /\$fromAI/i.test(String(node.parameters.threadId));
		if (mayContinue && adviceForAgent) return `${adviceForAgent}. The new run is billed`;
		const inProgress = place.mayBeInProgress ? 'The run may still be in progress. ' : '';
		const state = effect === 'maybe' ? 'The run may have started. ' : inProgress;
		return `${state}${TELL_USER}`;
	}
	const isInputOfCall = cause === 'input' || ['400', '404', '422'].includes(httpCode ?? '');
	const forUser = `${isInputOfCall ? 'Correct the input of this call, or tell' : 'Tell'} the user: ${advice}`;
	return [noRunSentence(failure, place), adviceForAgent ?? forUser].filter(Boolean).join('. ');
}

/** The threads of the item's runs, or of all items' if the node stops. */
function threadsOf(run: KnownRun | undefined): string {
	const starts = (run?.runs ?? []) as Array<{ thread_id?: string | null }>;
	const ids = [...new Set([run, ...starts].map((one) => one?.thread_id).filter(Boolean))];
	const label = ids.length === 1 ? 'Thread ID' : 'Thread IDs';
	return ids.length ? `. ${label}: ${shortenList(ids as string[], MAX_THREADS).join(', ')}` : '';
}

function messageForAgent(
	audience: Audience,
	failure: Failure,
	place: FailurePlace,
	mask: (text: string) => string,
): string {
	const { run } = failure;
	const advice = mask(nextStepForAgent(audience, failure, place) + threadsOf(run));
	const message = withAdvice(shorten(failure.reason, MAX_CHARACTERS_FOR_AGENT), advice);
	const text = typeof run?.text === 'string' ? run.text : '';
	return text ? `${message}. Text so far: ${JSON.stringify(shorten(text, MAX_CHARACTERS_FOR_AGENT))}` : message;
}

/**
 * The editor shows message, description and `context.data`, and an AI agent gets the message. A streamed chat shows only the
 * description: there it is the reason, because a person cannot follow advice, and `context.data` has the advice.
 */
export function nodeError(audience: Audience, failure: Failure, place: FailurePlace, secrets: unknown[]): NodeError {
	const { node, isTool, isStreaming, continues } = audience;
	const mask = maskOf(secrets);
	const known = failure.run && inOrder(changeTexts(withoutFileContents(failure.run), mask));
	const { cause, expression, httpCode } = failure;
	const maxCharacters = httpCode === undefined ? MAX_AGENT_CHARACTERS : MAX_SERVER_CHARACTERS;
	const reason = shorten(mask(boundText(failure.reason)), maxCharacters);
	const { itemIndex, others } = place;
	const noRun = noRunSentence(failure, place);
	const cost = others ?? (known !== undefined && failure.effect !== 'none' && 'A new run is billed, too');
	// People read three sentences, the reason included.
	const advice = mask([!others && noRun, failure.advice, cost].filter(Boolean).join('. '));

	const thread = known?.thread_id ? `. Thread ID: ${known.thread_id}` : '';
	const message = isTool ? messageForAgent(audience, { ...failure, reason, run: known }, place, mask) : reason;
	// The editor renders a description as HTML.
	const description = (isStreaming ? reason : advice + thread).replaceAll('<', '‹');

	const status = /^\d{3}$/.test(httpCode ?? '') && { http_status: Number(httpCode) };
	const error =
		cause === 'input'
			? new NodeOperationError(node, message, { itemIndex })
			: new NodeApiError(node, { message }, { message, httpCode, itemIndex });
	// n8n replaces messages with codes such as ECONNRESET, and drops a description that equals them.
	Object.assign(error, { message, description });
	Object.assign(error.context, expression);
	const values = failure.values && changeTexts(failure.values, mask);
	const isWithAdvice = !isTool && (isStreaming || continues);
	error.context.data = isWithAdvice ? { advice, ...status, ...values, ...known } : known;
	return error;
}

/** File names come from the service and may contain secrets. */
export const withMaskedNames = (binary: INodeExecutionData['binary'], secrets: unknown[]) => {
	const mask = maskOf(secrets);
	const named = Object.entries(binary ?? {}).map(([field, file]) => {
		return [field, { ...file, ...(file.fileName !== undefined && { fileName: mask(file.fileName) }) }];
	});
	return Object.fromEntries(named) as IBinaryKeyData;
};

const RUN_STARTED: Record<Effect, string> = { none: 'no', maybe: 'maybe', run: 'yes' };

/**
 * n8n 2.20 sends an item to the error output only if its `json` has nothing beside `error`, so there the error is an object. Of
 * an `error` next to `json`, n8n keeps the message only.
 */
export function errorItem(
	{ node, isTool, movesFiles }: Pick<Execution, 'isTool' | 'movesFiles' | 'node'>,
	error: NodeError,
	itemIndex: number,
	{ binary = {}, effect }: Pick<INodeExecutionData, 'binary'> & { effect?: Effect },
): INodeExecutionData {
	const run = error.context.data as KnownRun | undefined;
	const pairedItem = { item: itemIndex };
	if (isTool) {
		const known = run ? { thread_id: run.thread_id, status: run.status } : {};
		return { json: { error: error.message, ...known }, pairedItem };
	}
	const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;
	const filled = Object.entries({ ...run }).filter(([, value]) => !isEmpty(value));
	const { advice, ...known } = Object.fromEntries(filled) as IDataObject;
	const details = { advice, ...(effect && { run_started: RUN_STARTED[effect] }), ...known };
	const files = Object.keys(binary).length > 0 && { binary };
	if (!filesPathOfError(node)) return { json: { error: error.message, details }, ...files, pairedItem };
	const isMoved = movesFiles && Object.values(binary).some(({ id }) => id);
	const all = isMoved ? { ...details, _files: binary as unknown as IDataObject } : details;
	return { json: { error: { message: error.message, details: all } }, ...(!isMoved && files), pairedItem };
}

/** n8n moves files to this path: a key beside `error` would send the item to the wrong output. */
export const filesPathOfError = ({ onError }: Execution['node']): string | undefined =>
	onError === 'continueErrorOutput' ? 'error.details._files' : undefined;
