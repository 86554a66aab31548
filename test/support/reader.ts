import type { Reading } from '../../nodes/RunAutomation/run/read-run';
import { RunReader } from '../../nodes/RunAutomation/run/read-run';
import { Secrets } from '../../nodes/shared/mask/secrets';

/** A reader of a run of which the message counts, unless the test says more. */
export const readerOf = (reading: Partial<Reading> = {}): RunReader =>
	new RunReader(
		{
			operation: 'raw',
			checksDone: false,
			rows: undefined,
			threadId: undefined,
			knowsLinks: false,
			limits: { idle: Infinity },
			maxBytes: Infinity,
			keepsChunks: false,
			...reading,
		},
		new Secrets([]),
	);
