import type {
	INodeProperties,
	INodePropertyOptions,
	INodePropertyRouting,
	IHttpRequestOptions,
	PostReceiveAction,
	PreSendAction,
} from 'n8n-workflow';

import { optionsField } from '../../form/read-field';
import { returnItems, throwFailure, type Explain } from './read-response';
import { withNodeErrors, type Send } from './send-request';

/** An operation: what the list of operations shows, its request, and its form. */
export interface Operation extends Pick<INodePropertyOptions, 'name' | 'action' | 'description' | 'builderHint'> {
	value: string;
	request: Pick<IHttpRequestOptions, 'method' | 'url'> & { body?: object };
	fields: INodeProperties[];
	options?: INodeProperties[];
	/** When the options are shown, if they are all about one choice: n8n shows the heading of a list without entries, too. */
	optionsIf?: INodeProperties['displayOptions'];
	/** What is checked before the fields are. */
	checks?: PreSendAction[];
	/** Sends the request, if that takes more than what all operations do. */
	send?: Send;
	/** What the operation knows about a response that is not a success. */
	explain?: Explain;
	/** Makes items of the response; without it, the response is one item. */
	read?: PostReceiveAction[];
}

/** What several operations are about. */
export interface Resource {
	name: string;
	value: string;
	operations: Operation[];
	/** The operation of a new node; the first one, unless it is named here. */
	default?: string;
	fields?: INodeProperties[];
	routing?: INodePropertyRouting;
}

type Show = Record<string, string[]>;

/** A field whose failures leave the node as they should. */
function prepared(field: INodeProperties): INodeProperties {
	if (field.type === 'collection') return { ...field, options: (field.options as INodeProperties[]).map(prepared) };
	const { send, ...routing } = field.routing ?? {};
	return send?.preSend
		? { ...field, routing: { ...routing, send: { ...send, preSend: send.preSend.map(withNodeErrors) } } }
		: field;
}

const shownFor =
	(show: Show) =>
	(field: INodeProperties): INodeProperties => ({
		...prepared(field),
		displayOptions: { ...field.displayOptions, show: { ...show, ...field.displayOptions?.show } },
	});

const fieldsOf = ({ fields, options, optionsIf: displayOptions }: Operation): INodeProperties[] =>
	options ? [...fields, { ...optionsField(options), ...(displayOptions && { displayOptions }) }] : fields;

function entryOf(operation: Operation, shared: INodeProperties[]): INodePropertyOptions {
	const { name, value, action, description, builderHint, request, checks, send, explain, read = [] } = operation;
	const routing = {
		request: request as INodePropertyRouting['request'],
		...(checks && { send: { preSend: checks.map(withNodeErrors) } }),
		...(send && { operations: { pagination: withNodeErrors(send) } }),
		output: {
			postReceive: [throwFailure([...shared, ...fieldsOf(operation)], explain), ...read, returnItems],
		},
	};
	return { name, value, action, description, ...(builderHint && { builderHint }), routing };
}

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
			options: operations.map((operation) => entryOf(operation, fields)),
			default: initial,
			...(routing && { routing }),
		},
		...fields.map(shownFor({ ...show, operation: operations.map((operation) => operation.value) })),
		...operations.flatMap((operation) => fieldsOf(operation).map(shownFor({ ...show, operation: [operation.value] }))),
	];
}
