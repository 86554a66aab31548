// Declares a resource and its operations, and makes their form fields. The declarations have n8n's format `routing`, but
// `request/request.ts` and `request/response.ts` run them instead of n8n. "Contract" is the service's API description, whose
// sections comments name, and `test/service/openapi.json` follows.

import type { INodeProperties, INodePropertyOptions, INodePropertyRouting } from 'n8n-workflow';

import { choiceField, textField } from '../../shared/form/fields';
import type { UrlField } from '../../shared/http/credential';

/** The response's `property` is a text or a link that becomes a file, if the switch `wantedIf` is on. */
export interface ResponseFile {
	property: string;
	wantedIf: INodeProperties;
	/** The form's field with the name of the binary field. */
	nameField: INodeProperties;
	extension: string;
	/** It is set if n8n does not know it by the extension. */
	mediaType?: string;
}

export interface Operation extends INodePropertyOptions {
	value: string;
	/** n8n's AI workflow builder reads it. */
	propertyHint: string;
	fields: INodeProperties[];
	/** True if the request is billed, sent once at most, and sent to *Automation URL*. */
	startsRun?: boolean;
	/** True if a second request is harmless, although its method does not imply it. */
	isRepeatable?: boolean;
	/**
	 * The contract (2.2, 2.5 to 2.9) promises at least one of these names. A `status` such as "failed" makes a response an error
	 * all the same.
	 */
	returns?: readonly string[];
	/** The contract promises no body, but a result may have these names. */
	mayReturn?: readonly string[];
	/** *Split Into Items* splits this list. */
	list?: string;
	/** The hint for an empty list. */
	ifEmpty?: string;
	file?: ResponseFile;
}

export const urlFieldOf = ({ startsRun }: Operation): UrlField => (startsRun ? 'automationUrl' : 'baseUrl');

export interface Resource {
	name: string;
	value: string;
	operations: [Operation, ...Operation[]];
	/** The operation of a new node, if not the first. */
	default?: string;
	fields?: INodeProperties[];
}

/** The part of a request that a field's value goes into, and the service's name for it. */
export interface Place {
	part: 'body' | 'header' | 'path' | 'query';
	name: string;
}

/** `placeInRequest` reads what these four write. */
export const inBody = (property: string): INodePropertyRouting => ({ send: { type: 'body', property } });
export const inQuery = (property: string): INodePropertyRouting => ({ send: { type: 'query', property } });

/** n8n writes a header's value as an expression. It is never evaluated: the value is the field's. */
export const inHeader = (name: string): INodePropertyRouting => ({ request: { headers: { [name]: '={{ $value }}' } } });

/** The value becomes one segment of the operation's path. n8n's format has no such place, so braces name it, as in the path. */
export const inPath = (placeholder: string, ...[label, name, details]: Parameters<typeof textField>): INodeProperties =>
	textField(label, name, { isRequired: true, routing: { send: { property: `{${placeholder}}` } }, ...details });

/** Undefined for a field that is not sent. */
export function placeInRequest({ routing }: INodeProperties): Place | undefined {
	const { property = '', type } = routing?.send ?? {};
	const [header] = Object.keys(routing?.request?.headers ?? {});
	if (header !== undefined) return { part: 'header', name: header };
	if (property.startsWith('{')) return { part: 'path', name: property.slice(1, -1) };
	return property ? { part: type === 'body' ? 'body' : 'query', name: property } : undefined;
}

const visibleIf = (fields: INodeProperties[], show: Record<string, string[]>): INodeProperties[] =>
	fields.map((field) => ({
		...field,
		displayOptions: { ...field.displayOptions, show: { ...show, ...field.displayOptions?.show } },
	}));

export const operationField = ({ value: resource, operations, default: initial }: Resource): INodeProperties =>
	choiceField('Operation', 'operation', {
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options: operations.map(({ name, value, action, description, propertyHint }) => {
			return { name, value, action, description, builderHint: { propertyHint } };
		}),
		default: initial ?? operations[0].value,
	});

export function fieldsOf(resource: Resource): INodeProperties[] {
	const { value, operations, fields = [] } = resource;
	return [
		operationField(resource),
		...visibleIf(fields, { resource: [value], operation: operations.map((operation) => operation.value) }),
		...operations.flatMap((operation) =>
			visibleIf(operation.fields, { resource: [value], operation: [operation.value] }),
		),
	];
}
