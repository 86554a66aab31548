import type {
	IDataObject,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

import type { Failure } from '../../shared/failure';
import type { ServiceResponse } from '../../shared/service-failure';
import type { Execution } from '../../shared/execution';
import { API_KEY, CREDENTIAL_TYPES } from '../resources';
import type { Operation } from '../resources/operation';

/** Reads the value of a field, as shared/form/read.ts does; undefined if nothing is sent. */
export type ReadField = (field: INodeProperties, value: unknown, stored: unknown) => unknown;

/** Steps of a single operation. */
export interface OwnSteps {
	/** Readers of fields that need more than their description, by field name. */
	reads?: Record<string, ReadField>;
	/** Checks across fields, and changes the request. Throws FailureError. */
	prepare?(call: Call): void | Promise<void>;
	/** Sends the request until the response can be used. If undefined, as without this, it is resent only if the service is busy. */
	send?(call: Call, once: () => Promise<SendResult>): Promise<SendResult | undefined>;
	/** Explains a response that is not a success. */
	explain?(failure: Failure, response: ServiceResponse, call: Call): Failure;
	/** Makes items of a success; without it, the description of the operation declares them. Throws FailureError. */
	read?(response: IN8nHttpFullResponse, call: Call): INodeExecutionData[] | Promise<INodeExecutionData[]>;
}

/** The chosen operation, with the fields of its resource. */
export interface ChosenOperation extends Operation, OwnSteps {
	notFound?: string;
}

/** One request of an operation: as built from the form, and the value of each field shown, by name. */
export interface Call {
	context: IExecuteSingleFunctions;
	execution: Execution;
	operation: ChosenOperation;
	request: IHttpRequestOptions;
	values: Record<string, unknown>;
	/** What an operation says of the request beside the response. */
	notes?: IDataObject;
}

/** The result of a request: a response, and the failure if that is not a success or is missing. */
export type SendResult =
	| { response: IN8nHttpFullResponse; failure?: Failure }
	| { response?: undefined; failure: Failure };

/** The type of credential that the form chooses; an API key if it makes no choice. */
export function credentialType(context: IExecuteSingleFunctions): string {
	const chosen = context.getNodeParameter('authentication', 'apiKey') as keyof typeof CREDENTIAL_TYPES;
	return CREDENTIAL_TYPES[chosen] ?? API_KEY;
}
