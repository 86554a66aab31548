import type { Outcome } from '../../nodes/shared/items/outcome';

import { saveLedgers, restoreSaved, type SavableItem } from '../../nodes/shared/items/saved';
import { Ledger } from '../../nodes/shared/start/ledger';
import { RUN_AUTOMATION, runNode } from '../engine/run-node';
import { serveStarts } from '../engine/serve-starts';
import { executionOf, memoryOf } from '../support/execution';
import { contentOf, useStoredFiles } from '../support/stored-files';

useStoredFiles();

it('Retry execution returns the file of a run that it does not start', async () => {
	const { target, starts } = await serveStarts([['file'], ['failed', 'file']]);
	const [form, input] = [{ query: '={{ String($itemIndex) }}' }, [{ json: {} }, { json: {} }]];
	const { run } = await runNode(RUN_AUTOMATION, target, form, { input });
	const [item] = (await runNode(RUN_AUTOMATION, target, form, { input, retryOf: run })).items;
	expect(starts.map(({ length }) => length)).toEqual([1, 2]);
	expect(item.json.files).toMatchObject([{ filename: 'file-0.txt', binary: 'file_0' }]);
	expect(await contentOf(item.binary!.file_0)).toBe('hello');
});

const itemOf = (): SavableItem => ({ index: 0, fingerprint: 'same', ledger: new Ledger<Outcome>() });

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
