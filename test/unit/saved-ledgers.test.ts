import type { Outcome } from '../../nodes/shared/items/outcome';
import type { INodeParameters, IWorkflowSettings } from 'n8n-workflow';

import { saveLedgers, restoreSaved, type SavedItem } from '../../nodes/shared/items/saved';
import { Ledger } from '../../nodes/shared/start/ledger';
import { RUN_AUTOMATION, runNode } from '../engine/run-node';
import { serveStarts } from '../engine/serve-starts';
import { executionOf, memoryOf } from '../support/execution';
import { contentOf, deleteFilesOfExecution, useStoredFiles } from '../support/stored-files';

describe('a Retry in the executions list, if n8n stores files', () => {
	useStoredFiles();

	const input = [{ json: {} }, { json: {} }];
	const query = '={{ String($itemIndex) }}';

	/** Executes a run with a file beside one that fails, and retries it; gives the item of the first. */
	async function retry(isLost: boolean, form: INodeParameters = {}, workflowSettings: IWorkflowSettings = {}) {
		const { target, starts } = await serveStarts([['file'], ['failed', 'file']]);
		const extra = { input, workflowSettings };
		const { run } = await runNode(RUN_AUTOMATION, target, { query, ...form }, extra);
		if (isLost) await deleteFilesOfExecution();
		const { items, hints } = await runNode(RUN_AUTOMATION, target, { query, ...form }, { ...extra, retryOf: run });
		expect(starts.map(({ length }) => length)).toEqual([1, 2]);
		return { item: items[0], told: hints.map(({ message }) => message).join('. ') };
	}

	it('returns the file of a run that it does not start', async () => {
		const { item, told } = await retry(false);
		expect(item.json.files).toMatchObject([{ filename: 'file-0.txt', binary: 'file_0' }]);
		expect(await contentOf(item.binary!.file_0)).toBe('hello');
		expect(told).not.toContain('no longer');
	});
});

const itemOf = (): SavedItem => ({ index: 0, fingerprint: 'same', ledger: new Ledger<Outcome>() });
const THREAD = '8f14e45f-ceea-467f-9575-000000000001';

it('a later attempt of Retry On Fail restores nothing again', async () => {
	const execution = executionOf({ memory: memoryOf({}), mode: 'retry' });
	const [saved, item] = [itemOf(), itemOf()];
	saved.ledger.start = { item: 0, status: 'failed', thread_id: THREAD, effect: 'run' };
	Object.assign(saved.ledger, {
		isSettled: true,
		outcome: { failure: { reason: 'Blocked', advice: 'Wait', effect: 'run' } },
	});
	saveLedgers(execution, [saved]);
	for (let attempt = 0; attempt < 2; attempt++) restoreSaved(execution, [item]);
	expect(item.ledger.starts).toMatchObject([{ thread_id: THREAD }]);
});

it('an iteration of a loop restores nothing of another', async () => {
	const [saved, item] = [itemOf(), itemOf()];
	Object.assign(saved.ledger, { isSettled: true, outcome: { items: [{ json: {} }], hints: [] } });
	const execution = executionOf({ memory: memoryOf({}), mode: 'retry' });
	saveLedgers(execution, [saved]);
	restoreSaved({ ...execution, runIndex: '1' }, [item]);
	expect(item.ledger).toMatchObject({ isSettled: false, outcome: undefined });
});

it('the content of a file is not saved, wherever a result has it', () => {
	const execution = executionOf({ memory: memoryOf({}) });
	const saved = itemOf();
	const json = { message: { parts: [{ type: 'file', url: 'data:text/plain;base64,aGVsbG8=' }] } };
	Object.assign(saved.ledger, { isSettled: true, outcome: { items: [{ json }], hints: [] } });
	saveLedgers(execution, [saved]);
	const text = JSON.stringify(execution.memory.saved);
	expect(text).not.toContain('aGVsbG8');
	expect(text).toContain('text/plain, 5 bytes');
});
