// What an item becomes: items and hints, or a failure.

import type { IBinaryKeyData, INodeExecutionData } from 'n8n-workflow';

import type { Failure } from '../failure/failure';
import type { Hint } from './hints';

export interface Success {
	items: INodeExecutionData[];
	hints: Hint[];
	/** Why the result is partial. The live output shows it. */
	reason?: string;
	failure?: undefined;
}

export interface FailedOutcome {
	failure: Failure;
	hints?: undefined;
	binary?: IBinaryKeyData;
}

export type Outcome = Success | FailedOutcome;

export const withBinary = (binary: IBinaryKeyData): Pick<INodeExecutionData, 'binary'> =>
	Object.keys(binary).length ? { binary } : {};
