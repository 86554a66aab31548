import type { INodeProperties, INodePropertyOptions, INodePropertyRouting } from 'n8n-workflow';

/** An operation: what the list of operations shows, its request, and its form. */
export interface Operation extends INodePropertyOptions {
	value: string;
	/** The fields of the form. They are shown for this operation only. */
	fields: INodeProperties[];
	/** The entries of the collection *Options* at the end of the form, if it has one. */
	options?: INodeProperties[];
}

/** What several operations are about. */
export interface Resource {
	name: string;
	value: string;
	operations: Operation[];
	/** The operation of a new node; the first one, unless it is named here. */
	default?: string;
	/** Fields that all its operations have. */
	fields?: INodeProperties[];
	/** What the requests of all its operations have in common. */
	routing?: INodePropertyRouting;
}

type Show = Record<string, string[]>;

const shownFor =
	(show: Show) =>
	(field: INodeProperties): INodeProperties => ({
		...field,
		displayOptions: { ...field.displayOptions, show: { ...show, ...field.displayOptions?.show } },
	});

const collectionOf = (options: INodeProperties[]): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options,
});

/** The choice of the list of operations. */
const choiceOf = ({ name, value, action, description, builderHint, routing }: Operation): INodePropertyOptions => ({
	...{ name, value, action, description, routing },
	...(builderHint && { builderHint }),
});

/** The list of the operations of a resource, and all their fields, each shown where it belongs. */
export function formOf({ value, operations, fields = [], routing, ...resource }: Resource): INodeProperties[] {
	const show = { resource: [value] };
	const initial = resource.default ?? operations[0].value;
	return [
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show },
			options: operations.map(choiceOf),
			default: initial,
			...(routing && { routing }),
		},
		...fields.map(shownFor(show)),
		...operations.flatMap((operation) => {
			const options = operation.options ? [collectionOf(operation.options)] : [];
			return [...operation.fields, ...options].map(shownFor({ ...show, operation: [operation.value] }));
		}),
	];
}
