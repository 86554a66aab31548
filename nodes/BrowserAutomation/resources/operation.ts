// What a resource and an operation declare, and the fields of the form that n8n needs for them.

import type { INodeProperties, INodePropertyOptions, INodePropertyRouting } from 'n8n-workflow';

import { choiceField, textField } from '../../shared/form/fields';

/** A text of the response that becomes a file, if the form shows `field` with the name of a binary field. */
export interface TextFile {
	property: string;
	field: string;
	extension: string;
	mediaType: string;
}

export interface Operation extends INodePropertyOptions {
	value: string;
	/** What n8n's AI workflow builder reads of the operation. */
	propertyHint: string;
	fields: INodeProperties[];
	/** Whether the request is billed, sent at most once, and sent to *Automation URL*. */
	startsRun?: boolean;
	/** A second request does no harm, although its method does not imply this. */
	isRepeatable?: boolean;
	/** Names of which the contract promises at least one in the response (2.2, 2.5 to 2.9). */
	returns?: readonly string[];
	/** Names of a result, although the contract promises no body. */
	mayReturn?: readonly string[];
	/** The list that *Split Into Items* splits. */
	list?: string;
	/** A hint if that list has no entries. */
	ifEmpty?: string;
	file?: TextFile;
	/** The property of the response without which there is no file, and the switch that asks for it. */
	download?: { property: string; field: string };
}

export interface Resource {
	name: string;
	value: string;
	operations: [Operation, ...Operation[]];
	/** The operation of a new node, if not the first. */
	default?: string;
	fields?: INodeProperties[];
	/** Advice; by default, it names the fields with the ID. */
	notFound?: string;
}

export const inBody = (property: string): INodePropertyRouting => ({ send: { type: 'body', property } });
export const inQuery = (property: string): INodePropertyRouting => ({ send: { type: 'query', property } });

/** A field whose value is one segment of the path. */
export const inPath = (placeholder: string, ...[label, name, details]: Parameters<typeof textField>): INodeProperties =>
	textField(label, name, { routing: { send: { property: `{${placeholder}}` } }, required: true, ...details });

const shown = (fields: INodeProperties[], show: Record<string, string[]>): INodeProperties[] =>
	fields.map((field) => ({
		...field,
		displayOptions: { ...field.displayOptions, show: { ...show, ...field.displayOptions?.show } },
	}));

const entryOf = (operation: Operation): INodePropertyOptions => {
	const { name, value, action, description, propertyHint, routing } = operation;
	return { name, value, action, description, builderHint: { propertyHint }, routing };
};

export function operationList({ value, operations, ...resource }: Resource): INodeProperties {
	const initial = resource.default ?? operations[0].value;
	return choiceField('Operation', 'operation', {
		noDataExpression: true,
		displayOptions: { show: { resource: [value] } },
		options: operations.map(entryOf),
		default: initial,
	});
}

export function formOf(resource: Resource): INodeProperties[] {
	const { value, operations, fields = [] } = resource;
	return [
		operationList(resource),
		...shown(fields, { resource: [value], operation: operations.map((operation) => operation.value) }),
		...operations.flatMap((operation) => shown(operation.fields, { resource: [value], operation: [operation.value] })),
	];
}
