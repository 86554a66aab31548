// Types of one request of Browser Automation, and of an operation's own steps.

import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

import type { Failure } from '../../shared/failure/failure';
import { threadIdField } from '../../shared/form/fields';
import type { ServiceResponse } from '../../shared/failure/response/response';
import type { Execution } from '../../shared/n8n/execution';
import type { Operation } from '../resources/operation';

export type ReadField = (field: INodeProperties, value: unknown, stored: unknown) => unknown;

/** All steps throw FailureError. */
export interface OwnSteps {
	reads?: Record<string, ReadField>;
	prepare?(form: Form): void | Promise<void>;
	/** Replaces the usual resending, which stays if the result is undefined. */
	send?(call: Call, once: () => Promise<SendResult>): Promise<SendResult | undefined>;
	/** No error may show these values of the request. */
	secretValues?(call: Call): unknown[];
	explain?(failure: Failure, response: ServiceResponse, call: Call): Failure;
	read?(response: IN8nHttpFullResponse, call: Call): INodeExecutionData[] | Promise<INodeExecutionData[]>;
}

export interface ChosenOperation extends Operation, OwnSteps {
	credentialType: string;
}

export interface Form {
	context: IExecuteFunctions;
	execution: Execution;
	itemIndex: number;
	operation: ChosenOperation;
	request: IHttpRequestOptions;
	values: Record<string, unknown>;
	/** The operation adds these to the response. */
	notes?: IDataObject;
}

export interface Call extends Form {
	/** Resolved by n8n for this item, with the newest token. */
	credentials: ICredentialDataDecryptedObject;
}

export const requestedThread = ({ values }: Form) => values[threadIdField.name] as string | undefined;

export type SendResult =
	| { response: IN8nHttpFullResponse; failure?: undefined }
	| { response?: IN8nHttpFullResponse; failure: Failure };
