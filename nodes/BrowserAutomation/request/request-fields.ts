// Reads one item's fields into its request, as its operation declares.

import type { IDataObject, IExecuteFunctions, IHttpRequestOptions, INode, INodeProperties } from 'n8n-workflow';

import { inputError } from '../../shared/failure/failure';
import type { Execution } from '../../shared/n8n/execution';
import {
	fromModel,
	namingField,
	readChoice,
	readJsonObject,
	readOpenChoice,
	readOptionalNumber,
	readRequiredText,
	readSwitch,
	readText,
} from '../../shared/form/read';
import { hasNoValue } from '../../shared/form/field';
import { optionOf } from '../../shared/form/fields';
import { rejectIncompleteId, rejectLeftover, type Evaluate } from '../../shared/form/expressions';
import type { ChosenOperation, Form } from './call';
import { quoted } from '../../shared/values/text';

const storedValue = ({ parameters }: INode, { name }: INodeProperties, isOption: boolean): unknown =>
	(Object(isOption ? parameters.options : parameters) as IDataObject)[name];

interface Place {
	part: 'body' | 'headers' | 'qs' | 'url';
	property: string;
}

function placeInRequest({ routing }: INodeProperties): Place | undefined {
	const { request, send } = routing ?? {};
	if (send?.property?.startsWith('{')) return { part: 'url', property: send.property };
	if (send?.property) return { part: send.type === 'body' ? 'body' : 'qs', property: send.property };
	const [header] = Object.keys(request?.headers ?? {});
	return header ? { part: 'headers', property: header } : undefined;
}

const isId = (place: Place | undefined): boolean => /^\{|_id$/.test(place?.property ?? '');

function readByType(field: INodeProperties, value: unknown, stored: unknown, isSent: boolean, isOption: boolean) {
	const { type } = field;
	// Options that are not set are not sent. Other fields send the form's default: the service's may differ.
	if (isSent && isOption && hasNoValue(value)) return undefined;
	if (type === 'number') return readOptionalNumber(field, value);
	if (type === 'json') return readJsonObject(field, value, stored);
	if (type === 'boolean') return readSwitch(field, value);
	if (type === 'options') return isSent ? readOpenChoice(field, value, stored) : readChoice(field, value);
	return field.required ? readRequiredText(field, value, stored) : readText(field, value, stored) || undefined;
}

/** The HTTP client would silently drop these characters from a header. */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\x80-\xff]/;

function put(
	request: IHttpRequestOptions,
	{ part, property }: Place,
	{ displayName }: INodeProperties,
	value: unknown,
) {
	if (part === 'url') {
		const text = value as string;
		// Clients remove even percent-encoded dots from a path. U+FFFD was half a character.
		if (text === '.' || text === '..' || text.includes('\uFFFD')) {
			const advice = "Enter the value shown in the service's web console";
			throw inputError(`${quoted(displayName)} is not valid`, advice);
		}
		// A replacement text would expand "$&" and the like.
		request.url = request.url.replace(property, () => encodeURIComponent(text));
		return;
	}
	if (part === 'headers' && NOT_IN_HEADERS.test(String(value))) {
		const reason = `${quoted(displayName)} contains characters that cannot be sent`;
		throw inputError(reason, 'Use only letters, digits, and punctuation');
	}
	(request[part] as IDataObject)[property] = value as string;
}

/** A link in one path segment would be another ID. */
function checkId(field: INodeProperties, value: unknown, stored: unknown, evaluate: Evaluate): void {
	rejectIncompleteId(field, stored, evaluate);
	if (!field.displayName.endsWith('ID') || !String(value).includes('://')) return;
	throw inputError(`${quoted(field.displayName)} is a link`, 'Enter the ID, not a link');
}

const isShown = (isTool: boolean, { displayOptions }: INodeProperties, values: Form['values']) =>
	Object.entries(displayOptions?.show ?? {}).every(([name, shown]) =>
		(shown as unknown[]).includes(name === '@tool' ? isTool : values[name]),
	);

/** An operation's own step reads these fields. */
const NOT_READ = ['notice', 'fixedCollection'];

/** Reads each field once, because expressions are slow and may change their value. */
export function readForm(
	context: IExecuteFunctions,
	execution: Execution,
	itemIndex: number,
	operation: ChosenOperation,
): Form {
	const { reads = {}, routing } = operation;
	const { method, url = '', body: declared } = routing?.request ?? {};
	const body = { ...(declared as IDataObject) };
	const request = { method, url, body, qs: {}, headers: { Accept: 'application/json' } };
	const values: Form['values'] = { operation: operation.value };
	const evaluate = (expression: string): unknown => context.evaluateExpression(expression, itemIndex);
	const readAll = (fields: INodeProperties[], path = '') => {
		for (const field of fields) {
			if (NOT_READ.includes(field.type) || !isShown(execution.isTool, field, values)) continue;
			if (field.type === 'collection') {
				readAll((field.options as INodeProperties[]).map(optionOf), `${field.name}.`);
				continue;
			}
			const isOption = path !== '';
			const place = placeInRequest(field);
			const unset = place && isOption ? '' : field.default;
			const given: unknown = namingField(field, () => context.getNodeParameter(path + field.name, itemIndex, unset));
			const stored = storedValue(execution.node, field, isOption);
			const value = execution.isTool ? fromModel(field, given, stored) : given;
			const ownRead = reads[field.name];
			const read = ownRead
				? ownRead(field, value, stored)
				: readByType(field, value, stored, place !== undefined, isOption);
			// An AI agent means what it writes.
			if (isId(place) || !execution.isTool) rejectLeftover(field, read, stored, evaluate);
			if (isId(place)) checkId(field, read, stored, evaluate);
			values[field.name] = read;
			if (place && read !== undefined) put(request, place, field, read);
		}
	};
	readAll(operation.fields);
	request.body = { ...(values.additionalBodyFields as IDataObject), ...request.body };
	return { context, execution, itemIndex, operation, request, values };
}
