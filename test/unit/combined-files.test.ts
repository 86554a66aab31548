import type { IBinaryData, IDataObject } from 'n8n-workflow';

import { events, finish, runStream, textChunks } from '../engine/serve-stream';
import { contentOf, useStoredFiles } from '../support/stored-files';

// Not with the other workflows, which old versions of n8n run with the packed package: they do not know this setting.
const workflowSettings = { binaryMode: 'combined' as const };
const file = { type: 'file', url: 'data:text/plain,hello', mediaType: 'text/plain' };
const blocked = { type: 'error', errorText: 'The site blocked the agent' };

const get = (json: unknown, path: string) =>
	path.split('.').reduce((value, name) => (value as IDataObject | undefined)?.[name], json);

/** What an item has at the path that it names for its file. */
async function fileIn(json: IDataObject, named: IDataObject) {
	const { files } = named as { files: Array<{ binary: string }> };
	return await contentOf(get(json, files[0].binary) as unknown as IBinaryData);
}

describe('if a workflow keeps files in the JSON of its items', () => {
	useStoredFiles();

	it('the files of a result are where it says', async () => {
		const { items } = await runStream([file, finish], {}, { workflowSettings });
		expect(items[0].json.files).toMatchObject([{ binary: '_files.file_0' }]);
		expect(await fileIn(items[0].json, items[0].json)).toBe('hello');
	});

	it('the files of rows are where they say', async () => {
		const form = { operation: 'rows', columns: { column: [{ name: 'a' }] }, options: { includeRunDetails: true } };
		const body = events(file, ...textChunks('[{"a":"x"}]'), finish);
		const [{ json }] = (await runStream(body, form, { workflowSettings })).items;
		expect(await fileIn(json, json.run as IDataObject)).toBe('hello');
	});

	const modes = ['continueErrorOutput', 'continueRegularOutput'] as const;
	it.each(modes)('an error with files goes where others go, and has them: %s', async (onError) => {
		const settings = { onError };
		const ran = await runStream([file, blocked], {}, { workflowSettings, settings });
		const [expected, other] = onError === 'continueErrorOutput' ? [ran.errorItems, ran.items] : [ran.items, []];
		expect([expected.length, other.length]).toEqual([1, 0]);
		const [{ json }] = expected;
		const details = (get(json, 'error.details') ?? json.details) as IDataObject;
		expect(await fileIn(json, details)).toBe('hello');
	});
});
