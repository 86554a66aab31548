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

export type ReadField = (field: INodeProperties, value: unknown, stored: unknown) => unknown;

/** What an operation does in its own way. All steps throw FailureError. */
export interface OwnSteps {
	reads?: Record<string, ReadField>;
	prepare?(call: Call): void | Promise<void>;
	/** Undefined if it is resent only while the service is busy. */
	send?(call: Call, once: () => Promise<SendResult>): Promise<SendResult | undefined>;
	explain?(failure: Failure, response: ServiceResponse, call: Call): Failure;
	read?(response: IN8nHttpFullResponse, call: Call): INodeExecutionData[] | Promise<INodeExecutionData[]>;
}

export interface ChosenOperation extends Operation, OwnSteps {
	notFound?: string;
}

export interface Call {
	context: IExecuteSingleFunctions;
	execution: Execution;
	operation: ChosenOperation;
	request: IHttpRequestOptions;
	values: Record<string, unknown>;
	/** What an operation says of the request beside the response. */
	notes?: IDataObject;
}

export type SendResult =
	| { response: IN8nHttpFullResponse; failure?: Failure }
	| { response?: undefined; failure: Failure };

export function credentialType(context: IExecuteSingleFunctions): string {
	const chosen = context.getNodeParameter('authentication', 'apiKey') as keyof typeof CREDENTIAL_TYPES;
	return CREDENTIAL_TYPES[chosen] ?? API_KEY;
}
