// Makes one item's request of its operation's declaration and of the item's fields. n8n's own engine for such declarations
// would evaluate every field with the credential in scope, so that an expression could read the key.

import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

import type { BusyGate } from '../../shared/http/busy';
import { inputError, type Failure } from '../../shared/failure/failure';
import type { Execution } from '../../shared/n8n/execution';
import {
	readChoice,
	readField,
	readJsonObject,
	readOpenChoice,
	readRaw,
	readNumber,
	readRequiredText,
	readSwitch,
	readText,
	type FieldReader,
} from '../../shared/form/read';
import { threadIdField, fieldsAndOptions, type Field } from '../../shared/form/fields';
import type { ReceivedResponse } from '../../shared/failure/response/service-failure';
import { quoted, hasNoValue } from '../../shared/values/text';
import { isAmbiguousPath } from '../../shared/values/url';
import { placeInRequest, type Operation, type Place } from '../resources/operation';

/** One item's operation, and its request, read and checked completely before anything is sent. */
export interface Call {
	context: IExecuteFunctions;
	execution: Execution;
	itemIndex: number;
	operation: Operation;
	steps: OwnSteps;
	credentialType: string;
	/** Resolved by n8n for this item, with the newest token. */
	credentials: ICredentialDataDecryptedObject;
	request: IHttpRequestOptions;
	/** What was read, by the names of the shown fields. */
	values: Record<string, unknown>;
	/** The values of cookies. The service may quote them, so its words must not show them. */
	cookieValues?: unknown[];
	/** Fields that each output item gets beside the response's. */
	addedToItems?: IDataObject;
}

/** What a single operation does beside its declaration. A step that fails throws FailureError. */
export interface OwnSteps {
	reads?: Record<string, FieldReader<unknown>>;
	/** Checks or completes the request before anything is sent. */
	prepare?(call: Call): Partial<Call> | Promise<Partial<Call>>;
	explain?(failure: Failure, response: ReceivedResponse, call: Call): Failure;
	patience?(call: Call): Patience | undefined;
	complete?(item: INodeExecutionData, call: Call): Promise<INodeExecutionData>;
}

/** Replaces the usual rule of what is sent again, and how long. */
export interface Patience {
	gate: BusyGate;
	mayResend(failure: Failure): boolean;
}

export const requestedThread = ({ values }: Call) => values[threadIdField.name] as string | undefined;

/** The HTTP client would silently drop these characters from a header. */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\x80-\xff]/;

function put(request: IHttpRequestOptions, { part, name }: Place, { displayName }: INodeProperties, value: unknown) {
	const text = String(value);
	if (part === 'path') {
		// U+FFFD was half a character.
		if (text.includes('\uFFFD') || isAmbiguousPath(`/${encodeURIComponent(text)}`, true)) {
			throw inputError(`${quoted(displayName)} is not valid`, "Enter the value shown in the service's web console");
		}
		// A replacement text would expand "$&" and the like.
		request.url = request.url.replace(`{${name}}`, () => encodeURIComponent(text));
	} else if (part === 'header') {
		if (NOT_IN_HEADERS.test(text)) {
			const reason = `${quoted(displayName)} contains characters that cannot be sent`;
			throw inputError(reason, 'Use only letters, digits, and punctuation');
		}
		request.headers![name] = text;
	} else (request[part === 'body' ? 'body' : 'qs'] as IDataObject)[name] = value as string;
}

export const isId = (place: Place | undefined): boolean =>
	place !== undefined && (place.part === 'path' || place.name.endsWith('_id'));

const isShown = (isTool: boolean, { displayOptions }: INodeProperties, values: Call['values']) =>
	Object.entries(displayOptions?.show ?? {}).every(([name, shown]) =>
		(shown as unknown[]).includes(name === '@tool' ? isTool : values[name]),
	);

function readByType(field: INodeProperties & Field, value: unknown, stored: unknown, isSent: boolean) {
	const { group, isRaw, isRequired, type } = field;
	// Options that are not set are not sent. Other fields send the form's default: the service's may differ.
	if (isSent && group !== undefined && hasNoValue(value)) return undefined;
	if (type === 'number') return readNumber(field, value);
	if (type === 'json') return readJsonObject(field, value, stored);
	if (type === 'boolean') return readSwitch(field, value);
	if (isRaw) return readRaw(field, value, stored);
	if (type === 'options') return isSent ? readOpenChoice(field, value, stored) : readChoice(field, value);
	return isRequired ? readRequiredText(field, value, stored) : readText(field, value, stored) || undefined;
}

/** A notice has no value, and an operation's own step reads the rows of a fixed collection. */
const NOT_READ = ['notice', 'fixedCollection'];

/** Reads each shown field once, because expressions are slow. */
export function readRequest({
	context,
	execution: { isTool },
	itemIndex,
	operation,
	steps: { reads = {} },
}: Omit<Call, 'credentials' | 'request' | 'values'>): Pick<Call, 'request' | 'values'> {
	const { method, url = '', body: declared } = operation.routing?.request ?? {};
	const body: IDataObject = { ...(declared as IDataObject) };
	const request = { method, url, body, qs: {}, headers: { Accept: 'application/json' } };
	const values: Call['values'] = {};
	for (const field of fieldsAndOptions(operation.fields)) {
		if (NOT_READ.includes(field.type) || !isShown(isTool, field, values)) continue;
		const { name, group } = field;
		const place = placeInRequest(field);
		const [path, unset] = group === undefined ? [name, field.default] : [`options.${name}`, place ? '' : field.default];
		const byType: FieldReader<unknown> = (_field, given, stored) =>
			readByType(field, given, stored, place !== undefined);
		const value = readField({ context, itemIndex, isTool }, field, path, unset, reads[name] ?? byType);
		// A link in one path segment would be another ID.
		if (isId(place) && field.displayName.endsWith('ID') && String(value).includes('://'))
			throw inputError(`${quoted(field.displayName)} is a link`, 'Enter the ID, not a link');
		values[name] = value;
		if (place && value !== undefined) put(request, place, field, value);
	}
	return { request: { ...request, body: { ...(values.additionalBodyFields as IDataObject), ...body } }, values };
}
