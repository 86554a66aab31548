import type { IExecuteSingleFunctions } from 'n8n-workflow';

import { Failed, refused } from '../../errors/failure';
import { readBodyFields, readThreadId } from '../../form/read-field';
import { threadIdField } from '../../form/shared-fields';
import { NO_RUN, readStart, startFailure } from '../../starts/response';
import { API_KEY } from '../resources';
import { credentialType, type Call, type OwnSteps } from './call';

function countItems(context: IExecuteSingleFunctions): number {
	if (context.getNode().executeOnce) return 1;
	const { main, ai_tool: tool } = context.getExecuteData().data;
	return (main ?? tool)?.[0]?.length ?? 1;
}

const hasThread = ({ values }: Call): boolean => values[threadIdField.name] !== undefined;

export const startSteps: OwnSteps = {
	reads: {
		threadId: (...given) => readThreadId(...given) || undefined,
		additionalBodyFields: readBodyFields,
	},

	/**
	 * Refuses a start without an API key: the automation builder accepts nothing else. And several input items if the node stops
	 * on an error: n8n sends the requests of all items at once, and one failure would lose the thread IDs of the runs that were
	 * started and are billed.
	 */
	prepare({ context }) {
		if (credentialType(context) !== API_KEY) {
			throw refused(
				'Runs are started with an API key, not with a user name and a password',
				`${NO_RUN}. Choose a credential of the type 'Browser Automation API'`,
			);
		}
		const count = countItems(context);
		if (count === 1 || context.continueOnFail()) return;
		throw refused(
			`Received ${count} items. 'Start' accepts only one if 'On Error' is set to 'Stop Workflow'`,
			`${NO_RUN}. Set 'On Error' to 'Continue' in the settings of this node`,
		);
	},

	explain: (_failure, response, call) => startFailure(response, hasThread(call)),

	read(response, call) {
		const { started, failure } = readStart(response, hasThread(call));
		if (failure) throw new Failed(failure);
		return [{ json: started }];
	},
};
