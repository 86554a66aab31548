// All tests that one n8n is enough for, in one process. Each file can also be run alone: node --test <file>.
import { it } from 'node:test';

const runs = ['examples', 'waiting', 'upload', 'broken', 'chat', 'agent', 'agents', 'mcp'];
const files = [...runs, 'editor', 'forms', 'credential', 'loaded', 'install'].map((name) => `${name}.test.mjs`);

// Other tests wait for this one: all are registered before the first begins, and n8n is stopped once no test is left.
let everyFileIsLoaded;
const loading = new Promise((resolve) => (everyFileIsLoaded = resolve));
it('every file is loaded', async () => await loading);

for (const file of files) {
	try {
		await import(`./${file}`);
	} catch (error) {
		it(`${file} is loaded`, () => {
			throw error;
		});
	}
}
everyFileIsLoaded();
