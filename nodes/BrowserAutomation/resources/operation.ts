// Declares a resource and its operations, and makes their form fields.

import type { INodeProperties, INodePropertyOptions, INodePropertyRouting } from 'n8n-workflow';

import { choiceField, required, textField } from '../../shared/form/fields';

/** The response's `property` has a text that becomes a file. `field` names its binary field, if shown. */
export interface TextFile {
	property: string;
	field: string;
	extension: string;
	mediaType: string;
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
	/** The contract (2.2, 2.5 to 2.9) promises at least one of these names. */
	returns?: readonly string[];
	/** The contract promises no body, but a result may have these names. */
	mayReturn?: readonly string[];
	/** *Split Into Items* splits this list. */
	list?: string;
	/** The hint for an empty list. */
	ifEmpty?: string;
	file?: TextFile;
	/** The response's `property` has the file, and `field` is the switch that requests it. */
	download?: { property: string; field: string };
}

export interface Resource {
	name: string;
	value: string;
	operations: [Operation, ...Operation[]];
	/** The operation of a new node, if not the first. */
	default?: string;
	fields?: INodeProperties[];
}

/** `placeOf` in `request/fields.ts` reads what these four write. */
export const inBody = (property: string): INodePropertyRouting => ({ send: { type: 'body', property } });
export const inQuery = (property: string): INodePropertyRouting => ({ send: { type: 'query', property } });

export const inHeader = (name: string): INodePropertyRouting => ({ request: { headers: { [name]: '={{ $value }}' } } });

/** The value becomes one segment of the path. */
export const inPath = (placeholder: string, ...[label, name, details]: Parameters<typeof textField>): INodeProperties =>
	required(textField(label, name, { routing: { send: { property: `{${placeholder}}` } }, ...details }));

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
