// Reads the response to a declared request into a failure, or items and hints.

import type { IDataObject, IN8nHttpFullResponse, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { Failure } from '../../shared/failure/failure';
import { hintsIf, html, withoutItems, type Hint } from '../../shared/items/hints';
import { unreadableBody } from '../../shared/failure/response/compressed';
import { serviceFailure } from '../../shared/failure/response/service-failure';
import { labelsOf, quotedLabel } from '../../shared/form/field';
import { optionOf } from '../../shared/form/fields';
import { missingThreadFailure } from '../../shared/start/start-response';
import { isPage, isSenderError } from '../../shared/failure/response/reason';
import { isChallenge } from '../../shared/failure/response/retry-after';
import { maskOf } from '../../shared/mask/secrets';
import { isDeeper, isObject, MAX_DEPTH } from '../../shared/values/nested';
import { filledText } from '../../shared/values/text';
import { USER_LOGIN } from '../resources';
import type { TextFile } from '../resources/operation';
import { requestedThread, type Call } from './call';

function isNaming({ required, routing }: INodeProperties): boolean {
	const { property = '', type } = routing?.send ?? {};
	return /^\{|_id$/.test(property) || (type === 'query' && required === true);
}

function missingAdvice({ operation: { fields }, values }: Call): string {
	const all = fields.flatMap((field) =>
		field.type === 'collection' ? (field.options as INodeProperties[]).map(optionOf) : field,
	);
	const given = all.filter((field) => isNaming(field) && values[field.name] !== undefined);
	const labels = [...new Set(given.map(quotedLabel)), "'Base URL' in the credential"].join(' and ');
	return `It does not exist, or no longer. Check ${labels}`;
}

const TOKEN_ADVICE: Record<number, string> = {
	401: "The service rejected a token that it has just issued. Check 'Base URL' in the credential",
	403: "The user in the credential lacks a permission. Grant it in the service's web console, and check 'Base URL'",
};

/** n8n's client would have parsed valid JSON. */
const isCutJson = (body: unknown): boolean => typeof body === 'string' && /^\s*[{[]/.test(body);

function bodyProblem(
	{ body, headers, statusCode }: IN8nHttpFullResponse,
	{ operation, request }: Call,
): string | undefined {
	const { returns } = operation;
	const unreadable = body === '' ? undefined : unreadableBody(body, headers);
	if (unreadable) return `The service sent an unreadable response: ${unreadable}`;
	if (isCutJson(body) && request.method !== 'DELETE') {
		return 'The service sent an unreadable response: its JSON is incomplete or invalid';
	}
	if (isDeeper(body, MAX_DEPTH)) return 'The service sent an unreadable response: its JSON is nested too deeply';
	if (!returns || (isObject(body) && returns.some((name) => name in body))) return undefined;
	return `The service returned no ${returns.map((name) => `"${name}"`).join(' or ')} (status ${statusCode})`;
}

export function failureIn(response: IN8nHttpFullResponse & { url?: string }, call: Call): Failure | undefined {
	const { statusCode, body } = response;
	const { returns = [], mayReturn = [], fields, startsRun, explain } = call.operation;
	const isSuccess = statusCode >= 200 && statusCode < 300;
	const mask = maskOf(call.operation.secretValues?.(call) ?? []);
	const parsed = { ...response, path: call.request.url, sent: call.request.body, mask, labels: labelsOf(fields) };
	if (isSuccess && startsRun) return missingThreadFailure(parsed, requestedThread(call));
	const isRejected = isSuccess && isError(response, call, [...returns, ...mayReturn]);
	const mayBeResult = isSuccess && !isRejected && !isPage(body) && !isChallenge(response.headers);
	const problem = mayBeResult ? bodyProblem(response, call) : undefined;
	if (mayBeResult && !problem) return undefined;
	const adviceByStatus = call.operation.credentialType === USER_LOGIN ? TOKEN_ADVICE : {};
	const ofStatus = statusCode === 404 || statusCode === 410 ? missingAdvice(call) : adviceByStatus[statusCode];
	const advice = isRejected
		? 'The service did not do this. Check the fields of this node and the credential'
		: ofStatus;
	const failure = { ...serviceFailure({ ...parsed, advice }), ...(problem && { reason: problem }) };
	return explain?.(failure, parsed, call) ?? failure;
}

function toObject(value: unknown): IDataObject {
	if (isObject(value)) return value as IDataObject;
	if (value === undefined || value === '') return {};
	return { data: value as IDataObject['data'] };
}

/** n8n hangs on `json` that is not an object. */
export function itemsOf(body: unknown, property?: string): INodeExecutionData[] {
	const list = property === undefined ? undefined : (Object(body) as IDataObject)[property];
	const elements: unknown[] = [list, body].find(Array.isArray) ?? [body];
	return elements.map((element) => ({ json: toObject(element) }));
}

/** A 202 means an accepted, unfinished deletion (RFC 9110, section 15.3.3; weblate#20998). */
const isPending = ({ statusCode }: IN8nHttpFullResponse, { request }: Call): boolean =>
	statusCode === 202 && request.method === 'DELETE';

/** `deleted: false` is not an error while the deletion is pending. */
function isError(response: IN8nHttpFullResponse, call: Call, promised: string[]): boolean {
	const { body } = response;
	if (!isPending(response, call) || !isObject(body)) return isSenderError(body, promised);
	return isSenderError(Object.fromEntries(Object.entries(body).filter(([name]) => !/^deleted/i.test(name))), promised);
}

/** The service responds to a deletion with nothing, or with its progress. */
function deletedItem(response: IN8nHttpFullResponse, call: Call): INodeExecutionData {
	const { operation, values } = call;
	const { fields } = operation;
	const { status } = Object(response.body) as IDataObject;
	const pending = isPending(response, call);
	const ids = fields.map(({ name, routing }) => [routing?.send?.property?.slice(1, -1) ?? name, values[name]]);
	const state = { deleted: !pending, ...(pending && typeof status === 'string' && { status }) };
	return { json: { ...state, ...Object.fromEntries(ids) } };
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

export function hintsOf(response: IN8nHttpFullResponse, call: Call): Hint[] {
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

/** The first item, or the complete response, gets the file. */
export async function itemsIn(response: IN8nHttpFullResponse, call: Call): Promise<INodeExecutionData[]> {
	const { operation, values } = call;
	if (call.request.method === 'DELETE') return [deletedItem(response, call)];
	const { body } = response;
	const list = values.splitIntoItems ? operation.list : undefined;
	const items = (await operation.read?.(response, call)) ?? itemsOf(body, list);
	const { file } = operation;
	const text: unknown = file && Object(body)[file.property];
	const first = items[0] ?? itemsOf(body)[0];
	if (!file || !first || values[file.field] === undefined || typeof text !== 'string') return items;
	return [await withFile(call, first, file, Buffer.from(text, 'utf8')), ...items.slice(1)];
}
