// Makes a response's outcome: a failure, or items and hints. n8n does not read it, because n8n does not send the request
// (`request.ts` says why), and n8n would take an error in a success for a result.

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { Failure } from '../../shared/failure/failure';
import { hintsIf, html, sentenceIfEmpty, type Hint } from '../../shared/items/hints';
import type { Outcome } from '../../shared/items/outcome';
import {
	serviceFailure,
	type ReceivedResponse,
	type ServiceResponse,
} from '../../shared/failure/response/service-failure';
import { labelsOf, quotedLabel, fieldsAndOptions } from '../../shared/form/fields';
import { urlIn, USER_LOGIN } from '../../shared/http/credential';
import { backgroundStartIn, isRejection } from '../../shared/start/start-response';
import { unreadableBody, isPage, hasError } from '../../shared/failure/response/reason';
import { isBusy, isChallenge } from '../../shared/failure/response/retry-after';
import { maskOf } from '../../shared/mask/secrets';
import { isDeeper, isObject, MAX_DEPTH } from '../../shared/values/nested';
import { filledText, isMissing } from '../../shared/values/text';
import { placeInRequest, urlFieldOf, type ResponseFile } from '../resources/operation';
import { isId, requestedThread, type Call } from './request';

/** @throws FailureError if a file is lost */
export async function outcomeIn(response: ReceivedResponse, call: Call): Promise<Outcome> {
	const { operation, steps } = call;
	if (operation.startsRun) {
		const { value, failure } = backgroundStartIn(toExplain(response, call), requestedThread(call));
		return failure ? { failure } : { items: [{ json: value }], hints: [] };
	}
	const failure = failureIn(response, call);
	if (failure) return { failure: steps.explain?.(failure, response, call) ?? failure };
	const items = await itemsIn(response, call);
	return { items, hints: hintsOf(response, call, items) };
}

/** Adds what the words on a failure need. */
function toExplain(
	response: ReceivedResponse,
	{ credentials, operation, request, cookieValues }: Call,
): ServiceResponse {
	const named = fieldsAndOptions(operation.fields).map((field) => {
		return { ...field, name: placeInRequest(field)?.name ?? field.name };
	});
	return {
		...response,
		url: urlIn(credentials, urlFieldOf(operation)),
		path: request.url,
		hideTyped: maskOf(cookieValues ?? []),
		labels: labelsOf(named),
	};
}

function failureIn(response: ReceivedResponse, call: Call): Failure | undefined {
	const { statusCode, headers, body, cut } = response;
	const isSuccess = statusCode >= 200 && statusCode < 300;
	const isRefused = isSuccess && isError(response, call);
	const isResult = isSuccess && !isRefused && !isPage(body) && !isChallenge(headers);
	const problem = isResult ? (cut?.reason ?? bodyProblem(response, call)) : undefined;
	if (isResult && !problem) return undefined;
	const refused = 'The service did not do this. Check the fields of this node and the credential';
	const ofResult = isRefused ? refused : cut?.advice;
	const advice = (isSuccess && ofResult) || adviceOnStatus(statusCode, call);
	const failure = serviceFailure({ ...toExplain(response, call), advice });
	return { ...failure, ...(problem && { reason: problem }), ...sendingAgain(response, call, failure.advice) };
}

const TOKEN_ADVICE: Record<number, string> = {
	401: "The service rejected a token that it has just issued. Check 'Base URL' in the credential",
	403: "The user in the credential lacks a permission. Grant it in the service's web console, and check 'Base URL'",
};

function adviceOnStatus(statusCode: number, { credentialType, operation, values }: Call): string | undefined {
	if (statusCode !== 404 && statusCode !== 410) {
		return credentialType === USER_LOGIN ? TOKEN_ADVICE[statusCode] : undefined;
	}
	const naming = fieldsAndOptions(operation.fields).filter((field) => {
		const place = placeInRequest(field);
		return values[field.name] !== undefined && (isId(place) || (place?.part === 'query' && field.isRequired));
	});
	const labels = [...new Set(naming.map(quotedLabel)), "'Base URL' in the credential"].join(' and ');
	return `It does not exist, or no longer. Check ${labels}`;
}

/** A second request could do harm. Starts have a rule of their own. */
const isSentOnce = ({ request, operation: { isRepeatable, startsRun } }: Call): boolean =>
	request.method === 'POST' && !isRepeatable && !startsRun;

const CHECK_EFFECT = "The request may have had an effect. Check in the service's web console before you send it again";

export const unknownEffect = (call: Call, advice = CHECK_EFFECT): Partial<Failure> =>
	isSentOnce(call) ? { advice, cause: 'unknownEffect' } : {};

function sendingAgain(response: ReceivedResponse, call: Call, advice: string): Partial<Failure> {
	const { statusCode, headers, cut } = response;
	if (isBusy(response)) return { cause: 'busy', headers };
	if (isRejection(statusCode) || isChallenge(headers)) return {};
	// A proxy may send a 503 after the service has done what it was asked for, but doing it again is harmless here.
	if (statusCode === 503 && !isSentOnce(call)) return { cause: 'busy', headers };
	return unknownEffect(call, statusCode < 400 && !cut ? advice : CHECK_EFFECT);
}

function bodyProblem({ body, headers, statusCode }: ReceivedResponse, call: Call): string | undefined {
	const { returns } = call.operation;
	const unreadable = body === '' ? undefined : unreadableBody(body, headers);
	if (unreadable) return `The service sent an unreadable response: ${unreadable}`;
	// Valid JSON would have been parsed.
	if (typeof body === 'string' && /^\s*[{[]/.test(body) && call.request.method !== 'DELETE') {
		return 'The service sent an unreadable response: its JSON is incomplete or invalid';
	}
	if (isDeeper(body, MAX_DEPTH)) return 'The service sent an unreadable response: its JSON is nested too deeply';
	if (!returns || (isObject(body) && returns.some((name) => name in body))) return undefined;
	return `The service returned no ${returns.map((name) => `"${name}"`).join(' or ')} (status ${statusCode})`;
}

/** A 202 means an accepted, unfinished deletion (RFC 9110, section 15.3.3; weblate#20998). */
const isPending = ({ statusCode }: ReceivedResponse, { request }: Call): boolean =>
	statusCode === 202 && request.method === 'DELETE';

/** `deleted: false` is not an error while the deletion is pending. */
function isError(response: ReceivedResponse, call: Call): boolean {
	const { body } = response;
	const { returns = [], mayReturn = [] } = call.operation;
	const promised = [...returns, ...mayReturn];
	if (!isPending(response, call) || !isObject(body)) return hasError(body, promised);
	return hasError(Object.fromEntries(Object.entries(body).filter(([name]) => !/^deleted/i.test(name))), promised);
}

function itemsOfBody(body: unknown, property?: string): INodeExecutionData[] {
	const list = property === undefined ? undefined : (Object(body) as IDataObject)[property];
	const elements: unknown[] = [list, body].find(Array.isArray) ?? [body];
	return elements.map((element) => {
		// n8n hangs on `json` that is not an object.
		if (isObject(element)) return { json: element as IDataObject };
		return { json: element === undefined || element === '' ? {} : { data: element as IDataObject['data'] } };
	});
}

/** The service responds to a deletion with nothing, or with its progress. */
function deletedItem(response: ReceivedResponse, call: Call): INodeExecutionData {
	const { status } = Object(response.body) as IDataObject;
	const pending = isPending(response, call);
	const ids = call.operation.fields.map((field) => [
		placeInRequest(field)?.name ?? field.name,
		call.values[field.name],
	]);
	const state = { deleted: !pending, ...(pending && typeof status === 'string' && { status }) };
	return { json: { ...state, ...Object.fromEntries(ids) } };
}

/** The first item, or the complete response, gets the file. */
async function itemsIn(response: ReceivedResponse, call: Call): Promise<INodeExecutionData[]> {
	const { operation, request, steps, values } = call;
	if (request.method === 'DELETE') return [deletedItem(response, call)];
	const { body } = response;
	const received = itemsOfBody(body, values.splitIntoItems ? operation.list : undefined);
	const items = received.map(({ json }) => ({ json: { ...json, ...call.addedToItems } }));
	if (steps.complete) return [await steps.complete(items[0]!, call)];
	const text = fileTextIn(body, operation.file);
	const first = items[0] ?? itemsOfBody(body)[0];
	if (!first || text === undefined || !isFileWanted(call)) return items;
	return [await withFile(call, first, Buffer.from(text, 'utf8')), ...items.slice(1)];
}

export const isFileWanted = ({ operation: { file }, values }: Call): boolean =>
	file !== undefined && values[file.wantedIf.name] === true;

const fileTextIn = (body: unknown, file?: ResponseFile): string | undefined =>
	file && filledText(Object(body)[file.property]);

export type FileContent = Parameters<Call['context']['helpers']['prepareBinaryData']>[0];

/** Adds the operation's file to the item. */
export async function withFile(
	{ context, operation, values }: Call,
	item: INodeExecutionData,
	content: FileContent,
): Promise<INodeExecutionData> {
	const { nameField, extension, mediaType } = operation.file!;
	const name = `${(values.sessionId as string).replace(/[^\w-]+/g, '_')}.${extension}`;
	const file = await context.helpers.prepareBinaryData(content, name, mediaType);
	return { ...item, binary: { ...item.binary, [values[nameField.name] as string]: file } };
}

function hintsOf(response: ReceivedResponse, call: Call, items: INodeExecutionData[]): Hint[] {
	const { body } = response;
	const { file, ifEmpty, list = '', mayReturn = [] } = call.operation;
	const named = Object(body) as IDataObject;
	const found: unknown = Array.isArray(body) ? body : named[list];
	// If there is no list, another field may have the result.
	const isNull = found === null && mayReturn.every((name) => isMissing(named[name]));
	const isEmpty = isNull || (Array.isArray(found) && found.length === 0);
	const end = items.length === 0 ? sentenceIfEmpty(call.execution.node) : '';
	// A file that was asked for and does not come is told (browserarena#45).
	const isFileMissing = isFileWanted(call) && fileTextIn(body, file) === undefined;
	const pending = html`The service accepted the deletion, but has not completed it`;
	const withStatus = html`The service accepted the deletion, but has not completed it. See 'status'`;
	return hintsIf(
		[ifEmpty && isEmpty, html`${ifEmpty ?? ''}${end}`, 'info'],
		[
			isFileMissing,
			html`'${file?.wantedIf.displayName ?? ''}' is on, but the response has no "${file?.property ?? ''}"`,
		],
		[isPending(response, call), typeof named.status === 'string' ? withStatus : pending],
	);
}
