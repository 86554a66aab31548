import type { INodeProperties, INodePropertyOptions, INodePropertyRouting } from 'n8n-workflow';

import { textField, type Declared } from '../../shared/form/fields';

// Declarations of operations. n8n loads all of them when it starts; the execution is in routing/, which is loaded on first use.

/** A text of the response that becomes a file, if the form shows the field that names the binary field for it. */
export interface TextFile {
	property: string;
	field: string;
	extension: string;
	mediaType: string;
}

/** An operation: its entry in the list of operations with its request, its form, and properties of its response. */
export interface Operation extends INodePropertyOptions {
	value: string;
	/** What n8n's AI workflow builder reads about it. */
	propertyHint: string;
	fields: INodeProperties[];
	/** Whether it starts a run: at the automation builder, billed, and sent at most once. */
	startsRun?: boolean;
	/** Whether a second request does no harm, although its method does not imply this. */
	isRepeatable?: boolean;
	/** The list in the response of which each element becomes an item if *Split Into Items* is on. */
	list?: string;
	file?: TextFile;
}

/** The subject of several operations. */
export interface Resource {
	name: string;
	value: string;
	operations: [Operation, ...Operation[]];
	/** The operation of a new node; the first one, unless it is named here. */
	default?: string;
	fields?: INodeProperties[];
	/** What to do if the subject of a request is not found; by default, the advice names the fields with its ID. */
	notFound?: string;
	routing?: INodePropertyRouting;
}

/** A field that is sent in the body or the query of the request. */
export const sent = (type: 'body' | 'query', property: string, field: Declared): INodeProperties => ({
	...textField(field),
	routing: { send: { type, property } },
});

/**
 * A required field that is put into the path of the request, as one percent-encoded segment. It is passed in the query,
 * because n8n passes values nowhere else, and would evaluate the expressions of a field again if it is read again.
 *
 * @param placeholder the name in braces in the path, named as in the OpenAPI document of the service
 */
export const inPath = (placeholder: string, field: Declared): INodeProperties =>
	sent('query', `{${placeholder}}`, { required: true, ...field });

const shown = (fields: INodeProperties[], show: Record<string, string[]>): INodeProperties[] =>
	fields.map((field) => ({
		...field,
		displayOptions: { ...field.displayOptions, show: { ...show, ...field.displayOptions?.show } },
	}));

const entryOf = (operation: Operation): INodePropertyOptions => {
	const { name, value, action, description, propertyHint, routing } = operation;
	return { name, value, action, description, builderHint: { propertyHint }, routing };
};

/** The list of the operations of a resource. */
export function operationList({ value, operations, routing, ...resource }: Resource): INodeProperties {
	const initial = resource.default ?? operations[0].value;
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [value] } },
		options: operations.map(entryOf),
		default: initial,
		...(routing && { routing }),
	};
}

/** The list of the operations of a resource, and all their fields, each with its own display condition. */
export function formOf(resource: Resource): INodeProperties[] {
	const { value, operations, fields = [] } = resource;
	return [
		operationList(resource),
		...shown(fields, { resource: [value], operation: operations.map((operation) => operation.value) }),
		...operations.flatMap((operation) => shown(operation.fields, { resource: [value], operation: [operation.value] })),
	];
}
