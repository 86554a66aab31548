import type { IDataObject, IExecuteSingleFunctions, IHttpRequestOptions, INode, INodeProperties } from 'n8n-workflow';

import { inputError } from '../../shared/failure';
import type { Execution } from '../../shared/execution';
import {
	isMissing,
	readChoice,
	readJsonObject,
	readOptionalNumber,
	readRequiredText,
	readSwitch,
	readText,
} from '../../shared/form/read';
import type { Call, ChosenOperation } from './call';
import { quoted } from '../../shared/text';

/** The stored value of a field, if it looks like an expression that n8n does not evaluate: the value is then the text itself. */
function storedValue({ parameters }: INode, { name }: INodeProperties, value: unknown): unknown {
	if (typeof value !== 'string' || !value.includes('{{')) return undefined;
	const isStored = [parameters, parameters.options].some((fields) => (fields as IDataObject)?.[name] === value);
	return isStored ? value : undefined;
}

interface Place {
	part: 'body' | 'qs' | 'headers';
	property: string;
}

/** The place of a field in the request; undefined for a field that is not sent. */
function placeInRequest({ routing }: INodeProperties): Place | undefined {
	const { request, send } = routing ?? {};
	if (send?.property) return { part: send.type === 'body' ? 'body' : 'qs', property: send.property };
	const [header] = Object.keys(request?.headers ?? {});
	return header ? { part: 'headers', property: header } : undefined;
}

function readByType(field: INodeProperties, value: unknown, stored: unknown, isSent: boolean, isOption: boolean) {
	const { type } = field;
	if (type === 'number') return readOptionalNumber(field, value);
	if (type === 'json') return readJsonObject(field, value, stored);
	if (type === 'boolean') {
		return isSent && (isMissing(value) || value === '') ? undefined : readSwitch(field, value);
	}
	if (type === 'options' && !isSent) return readChoice(field, value);
	// A list outside of the options always has a choice: without it, the service would take its own default, unseen.
	const isRequired = field.required || (type === 'options' && !isOption);
	return isRequired ? readRequiredText(field, value, stored) : readText(field, value, stored) || undefined;
}

/** Characters that a header cannot contain: the HTTP client would silently drop them. */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\x80-\xff]/;

/** Puts the value of a field into the request, unless it is undefined. */
function put(
	request: IHttpRequestOptions,
	{ part, property }: Place,
	{ displayName }: INodeProperties,
	value: unknown,
) {
	const fields = request[part] as IDataObject;
	if (property.startsWith('{')) {
		const text = value as string;
		// Percent-encoding leaves dots as they are, and every client then takes the segment out of the path.
		if (text === '.' || text === '..' || !text.isWellFormed()) {
			const advice = "Enter the value shown in the service's web console";
			throw inputError(`${quoted(displayName)} is not valid`, advice);
		}
		// As a function: a replacement text would read "$&" and the like.
		request.url = request.url.replace(property, () => encodeURIComponent(text));
	} else if (part === 'headers' && NOT_IN_HEADERS.test(String(value ?? ''))) {
		const reason = `${quoted(displayName)} contains characters that cannot be sent`;
		throw inputError(reason, 'Use only letters, digits, and punctuation');
	} else if (value !== undefined) {
		fields[property] = value as string;
		return;
	}
	delete fields[property];
}

/** Whether the form shows a field, depending on the fields before it. Hidden fields are ignored. */
const isShown = (isTool: boolean, { displayOptions }: INodeProperties, values: Call['values']) =>
	Object.entries(displayOptions?.show ?? {}).every(([name, shown]) =>
		(shown as unknown[]).includes(name === '@tool' ? isTool : values[name]),
	);

/** Fields without a value of their own, and those whose values are read by their operation. */
const NOT_READ = ['notice', 'fixedCollection'];

/**
 * Reads every field of an operation. The values to send are taken from the request that n8n built: a second evaluation of an
 * expression may give another value, and takes most of the time of an item.
 *
 * @param built the request as n8n built it
 * @throws FailureError that names the first field that cannot be used
 */
export function readForm(
	context: IExecuteSingleFunctions,
	execution: Execution,
	operation: ChosenOperation,
	built: IHttpRequestOptions,
): Call {
	const { reads = {} } = operation;
	const { body, qs, headers } = built;
	const request = { ...built, body: { ...(body as IDataObject) }, qs: { ...qs }, headers: { ...headers } };
	// A field of the resource may be shown for some of its operations only.
	const values: Call['values'] = { operation: operation.value };
	const readAll = (fields: INodeProperties[], path = '') => {
		for (const field of fields) {
			if (NOT_READ.includes(field.type) || !isShown(execution.isTool, field, values)) continue;
			if (field.type === 'collection') {
				readAll(field.options as INodeProperties[], `${field.name}.`);
				continue;
			}
			const place = placeInRequest(field);
			const value = place
				? (request[place.part] as IDataObject)[place.property]
				: (context.getNodeParameter(path + field.name, field.default) as unknown);
			const stored = storedValue(execution.node, field, value);
			const ownRead = reads[field.name];
			const read = ownRead
				? ownRead(field, value, stored)
				: readByType(field, value, stored, place !== undefined, path !== '');
			values[field.name] = read;
			if (place) put(request, place, field, read);
		}
	};
	readAll(operation.fields);
	// Form fields take precedence.
	request.body = { ...(values.additionalBodyFields as IDataObject), ...request.body };
	return { context, execution, operation, request, values };
}
