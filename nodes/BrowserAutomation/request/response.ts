// Makes a response's outcome: a failure, or items and hints.

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { Failure } from '../../shared/failure/failure';
import { hintsIf, html, withoutItems, type Hint } from '../../shared/items/hints';
import type { Outcome } from '../../shared/items/outcome';
import { unreadableBody } from '../../shared/failure/response/compressed';
import type { ServiceResponse } from '../../shared/failure/response/response';
import { serviceFailure } from '../../shared/failure/response/service-failure';
import { labelsOf, quotedLabel } from '../../shared/form/field';
import { urlIn, USER_LOGIN, type UrlField } from '../../shared/http/credential';
import { backgroundStartIn, isRejection } from '../../shared/start/start-response';
import { isPage, isSenderError } from '../../shared/failure/response/reason';
import { isBusy, isChallenge } from '../../shared/failure/response/retry-after';
import { maskOf } from '../../shared/mask/secrets';
import { isDeeper, isObject, MAX_DEPTH } from '../../shared/values/nested';
import { filledText } from '../../shared/values/text';
import type { Operation, TextFile } from '../resources/operation';
import { allFieldsOf, isId, placeOf, requestedThread, type Call } from './fields';

export const urlFieldOf = ({ startsRun }: Operation): UrlField => (startsRun ? 'automationUrl' : 'baseUrl');

export type ReceivedResponse = Pick<ServiceResponse, 'body' | 'cut' | 'headers' | 'statusCode'>;

/** @throws FailureError if no run was started in the background, or a file is lost */
export async function outcomeIn(received: ReceivedResponse, call: Call): Promise<Outcome> {
	const { credentials, operation, request, steps } = call;
	const named = allFieldsOf(operation).map((field) => ({ ...field, name: placeOf(field)?.name ?? field.name }));
	const response: ServiceResponse = {
		...received,
		url: urlIn(credentials, urlFieldOf(operation)),
		path: request.url,
		sent: request.body,
		mask: maskOf(steps.secretValues?.(call) ?? []),
		labels: labelsOf(named),
	};
	if (operation.startsRun) return { items: [{ json: backgroundStartIn(response, requestedThread(call)) }], hints: [] };
	const failure = failureIn(response, call);
	if (failure) return { failure: steps.explain?.(failure, response, call) ?? failure };
	return { items: await itemsIn(response, call), hints: hintsOf(response, call) };
}

function failureIn(response: ServiceResponse, call: Call): Failure | undefined {
	const { statusCode, headers, body, cut } = response;
	const isSuccess = statusCode >= 200 && statusCode < 300;
	const isRefused = isSuccess && isError(response, call);
	const isResult = isSuccess && !isRefused && !isPage(body) && !isChallenge(headers);
	const problem = isResult ? (cut?.reason ?? bodyProblem(response, call)) : undefined;
	if (isResult && !problem) return undefined;
	const ofResult = isRefused ? REFUSED : cut?.advice;
	const advice = (isSuccess && ofResult) || adviceOnStatus(statusCode, call);
	const failure = serviceFailure({ ...response, advice });
	return { ...failure, ...(problem && { reason: problem }), ...sendingAgain(response, call, failure.advice) };
}

const REFUSED = 'The service did not do this. Check the fields of this node and the credential';

const TOKEN_ADVICE: Record<number, string> = {
	401: "The service rejected a token that it has just issued. Check 'Base URL' in the credential",
	403: "The user in the credential lacks a permission. Grant it in the service's web console, and check 'Base URL'",
};

function adviceOnStatus(statusCode: number, { credentialType, operation, values }: Call): string | undefined {
	if (statusCode !== 404 && statusCode !== 410) {
		return credentialType === USER_LOGIN ? TOKEN_ADVICE[statusCode] : undefined;
	}
	const naming = allFieldsOf(operation).filter((field) => {
		const place = placeOf(field);
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

function sendingAgain(response: ServiceResponse, call: Call, advice: string): Partial<Failure> {
	const { statusCode, headers, cut } = response;
	if (isBusy(response)) return { cause: 'busy', headers };
	if (isRejection(statusCode) || isChallenge(headers)) return {};
	if (statusCode === 503 && !isSentOnce(call)) return { cause: 'busy', headers };
	return unknownEffect(call, statusCode < 400 && !cut ? advice : CHECK_EFFECT);
}

/** n8n's client would have parsed valid JSON. */
const isCutJson = (body: unknown): boolean => typeof body === 'string' && /^\s*[{[]/.test(body);

function bodyProblem({ body, headers, statusCode }: ServiceResponse, call: Call): string | undefined {
	const { returns } = call.operation;
	const unreadable = body === '' ? undefined : unreadableBody(body, headers);
	if (unreadable) return `The service sent an unreadable response: ${unreadable}`;
	if (isCutJson(body) && call.request.method !== 'DELETE') {
		return 'The service sent an unreadable response: its JSON is incomplete or invalid';
	}
	if (isDeeper(body, MAX_DEPTH)) return 'The service sent an unreadable response: its JSON is nested too deeply';
	if (!returns || (isObject(body) && returns.some((name) => name in body))) return undefined;
	return `The service returned no ${returns.map((name) => `"${name}"`).join(' or ')} (status ${statusCode})`;
}

/** A 202 means an accepted, unfinished deletion (RFC 9110, section 15.3.3; weblate#20998). */
const isPending = ({ statusCode }: ServiceResponse, { request }: Call): boolean =>
	statusCode === 202 && request.method === 'DELETE';

/** `deleted: false` is not an error while the deletion is pending. */
function isError(response: ServiceResponse, call: Call): boolean {
	const { body } = response;
	const { returns = [], mayReturn = [] } = call.operation;
	const promised = [...returns, ...mayReturn];
	if (!isPending(response, call) || !isObject(body)) return isSenderError(body, promised);
	return isSenderError(Object.fromEntries(Object.entries(body).filter(([name]) => !/^deleted/i.test(name))), promised);
}

function toObject(value: unknown): IDataObject {
	if (isObject(value)) return value as IDataObject;
	if (value === undefined || value === '') return {};
	return { data: value as IDataObject['data'] };
}

/** n8n hangs on `json` that is not an object. */
function itemsOf(body: unknown, property?: string): INodeExecutionData[] {
	const list = property === undefined ? undefined : (Object(body) as IDataObject)[property];
	const elements: unknown[] = [list, body].find(Array.isArray) ?? [body];
	return elements.map((element) => ({ json: toObject(element) }));
}

/** The service responds to a deletion with nothing, or with its progress. */
function deletedItem(response: ServiceResponse, call: Call): INodeExecutionData {
	const { status } = Object(response.body) as IDataObject;
	const pending = isPending(response, call);
	const ids = call.operation.fields.map((field) => [placeOf(field)?.name ?? field.name, call.values[field.name]]);
	const state = { deleted: !pending, ...(pending && typeof status === 'string' && { status }) };
	return { json: { ...state, ...Object.fromEntries(ids) } };
}

/** The first item, or the complete response, gets the file. */
async function itemsIn(response: ServiceResponse, call: Call): Promise<INodeExecutionData[]> {
	const { operation, request, steps, values } = call;
	if (request.method === 'DELETE') return [deletedItem(response, call)];
	const { body } = response;
	const items = itemsOf(body, values.splitIntoItems ? operation.list : undefined);
	if (steps.complete) return await steps.complete(items, call);
	const { file } = operation;
	const text = file && filledText(Object(body)[file.property]);
	const first = items[0] ?? itemsOf(body)[0];
	if (!file || !first || values[file.field] === undefined || text === undefined) return items;
	return [await withFile(call, first, file, Buffer.from(text, 'utf8')), ...items.slice(1)];
}

export type FileContent = Parameters<Call['context']['helpers']['prepareBinaryData']>[0];

export async function withFile(
	{ context, values }: Call,
	item: INodeExecutionData,
	{ field, extension, mediaType }: Omit<TextFile, 'property'>,
	content: FileContent,
): Promise<INodeExecutionData> {
	const name = `${(values.sessionId as string).replace(/[^\w-]+/g, '_')}.${extension}`;
	const file = await context.helpers.prepareBinaryData(content, name, mediaType);
	return { ...item, binary: { ...item.binary, [values[field] as string]: file } };
}

/** Labels the switch of a file that the response lacks (browserarena#45). */
function missingFile(body: unknown, { operation: { download, fields }, values }: Call): string | undefined {
	if (!download || values[download.field] !== true || filledText(Object(body)[download.property])) return undefined;
	return fields.find(({ name }) => name === download.field)!.displayName;
}

function hintsOf(response: ServiceResponse, call: Call): Hint[] {
	const { body } = response;
	const { list = '', ifEmpty } = call.operation;
	const found: unknown = Array.isArray(body) ? body : Object(body)[list];
	const end = call.values.splitIntoItems || found === body ? withoutItems(call.execution.node) : '';
	const missing = missingFile(body, call);
	const pending = html`The service accepted the deletion, but has not completed it`;
	const withStatus = html`The service accepted the deletion, but has not completed it. See 'status'`;
	return hintsIf(
		[ifEmpty && Array.isArray(found) && found.length === 0, html`${ifEmpty ?? ''}${end}`, 'info'],
		[missing, html`'${missing ?? ''}' is on, but the response has no "${call.operation.download?.property ?? ''}"`],
		[isPending(response, call), typeof Object(body).status === 'string' ? withStatus : pending],
	);
}
