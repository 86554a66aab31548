import type {
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
	INodePropertyRouting,
} from 'n8n-workflow';

import type { Failure } from '../../errors/failure';
import type { ServiceResponse } from '../../errors/service-error';
import { optionsField } from '../../form/read-field';
import type { Read } from './request-fields';

/** One request of an operation: what the form makes of it, and what was read of each of its fields, by name. */
export interface Call {
	context: IExecuteSingleFunctions;
	request: IHttpRequestOptions;
	values: Record<string, unknown>;
}

/** What a request brought: a response, and what happened if that is not a success or there is none. */
export type Answer = { response: IN8nHttpFullResponse; failure?: Failure } | { response?: undefined; failure: Failure };

export const API_KEY = 'browserAutomationApi';
export const USER_LOGIN = 'browserAutomationOAuth2PasswordApi';

/** The type of credential that the form chooses; an API key unless it chooses another. */
export const credentialType = (context: IExecuteSingleFunctions) =>
	context.getNodeParameter('authentication', 'apiKey') === 'oAuth2Password' ? USER_LOGIN : API_KEY;

/** An operation: what the list of operations shows, its request, its form, and what only this operation does. */
export interface Operation extends Pick<INodePropertyOptions, 'name' | 'action' | 'description' | 'builderHint'> {
	value: string;
	request: Pick<IHttpRequestOptions, 'method' | 'url'> & { body?: object };
	fields: INodeProperties[];
	options?: INodeProperties[];
	/** When the options are shown, if they are all about one choice: n8n shows the heading of a list without entries, too. */
	optionsIf?: INodeProperties['displayOptions'];
	/** Whether it starts a run: at the automation builder, billed, and sent at most once. */
	startsRun?: boolean;
	/** Whether a second request does no harm although the method of the request does not tell so. */
	isRepeatable?: boolean;
	/** What to do if what the request is about is not found; else the fields that name it are told. */
	notFound?: string;
	/** How a field is read whose description does not tell it, by its name. */
	reads?: Record<string, Read>;
	/** Checks what no single field tells, and changes the request. Throws Failed. */
	prepare?(call: Call): void | Promise<void>;
	/** Asks until there is an answer to use; if that is undefined, the request is repeated only if the service is busy. */
	ask?(call: Call, once: () => Promise<Answer>): Promise<Answer | undefined>;
	/** What the operation knows about a response that is not a success. */
	explain?(failure: Failure, response: ServiceResponse, call: Call): Failure;
	/** Makes items of a success; without it, the response is one item. Throws Failed. */
	read?(response: IN8nHttpFullResponse, call: Call): INodeExecutionData[] | Promise<INodeExecutionData[]>;
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

const shownFor =
	(show: Show) =>
	(field: INodeProperties): INodeProperties => ({
		...field,
		displayOptions: { ...field.displayOptions, show: { ...show, ...field.displayOptions?.show } },
	});

const fieldsOf = ({ fields, options, optionsIf: displayOptions }: Operation): INodeProperties[] =>
	options ? [...fields, { ...optionsField(options), ...(displayOptions && { displayOptions }) }] : fields;

const entryOf = ({ name, value, action, description, builderHint, request }: Operation): INodePropertyOptions => ({
	...{ name, value, action, description, ...(builderHint && { builderHint }) },
	routing: { request: request as INodePropertyRouting['request'] },
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
			options: operations.map(entryOf),
			default: initial,
			...(routing && { routing }),
		},
		...fields.map(shownFor({ ...show, operation: operations.map((operation) => operation.value) })),
		...operations.flatMap((operation) => fieldsOf(operation).map(shownFor({ ...show, operation: [operation.value] }))),
	];
}
