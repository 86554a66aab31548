import type { IBinaryData, INode, INodeParameters } from 'n8n-workflow';

import { valueAt } from '../../nodes/shared/values/nested';
import { finish, runStream, textChunks } from '../engine/serve-stream';
import { contentOf, useStoredFiles } from '../support/stored-files';

// Not with the other workflows, which old versions of n8n run with the packed package: they do not know this setting.
const workflowSettings = { binaryMode: 'combined' as const };
const file = { type: 'file', url: 'data:text/plain,hello', mediaType: 'text/plain' };
const blocked = { type: 'error', errorText: 'The site blocked the agent' };

useStoredFiles();

const rows = { operation: 'rows', columns: { column: [{ name: 'a' }] }, options: { includeRunDetails: true } };
it.each<[string, object[], INodeParameters, INode['onError'], string]>([
	['a result', [file, finish], {}, undefined, 'files'],
	['rows', [file, ...textChunks('[{"a":"x"}]'), finish], rows, undefined, 'run.files'],
	['an error item', [file, blocked], {}, 'continueRegularOutput', 'details.files'],
	['an item of the error output', [file, blocked], {}, 'continueErrorOutput', 'error.details.files'],
])('the files of %s are where it says in the JSON of items', async (_what, chunks, form, onError, place) => {
	const { items, errorItems } = await runStream(chunks, form, { workflowSettings, settings: { onError } });
	const isSplit = onError === 'continueErrorOutput';
	expect([items.length, errorItems.length]).toEqual(isSplit ? [0, 1] : [1, 0]);
	const [{ json }] = [...items, ...errorItems];
	const [{ binary }] = valueAt(json, place) as Array<{ binary: string }>;
	expect(binary).toMatch(/(^|\.)_files\.file_0$/);
	expect(await contentOf(valueAt(json, binary) as IBinaryData)).toBe('hello');
});
