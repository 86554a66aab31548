import type { Failure, FailureError } from '../../nodes/shared/failure/failure';

/** Why something is rejected. */
export function failureOf(act: () => unknown): Failure {
	try {
		act();
	} catch (error) {
		return (error as FailureError).failure;
	}
	throw new Error('Nothing was rejected');
}
