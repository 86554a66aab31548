// Has the tests of several files share one n8n, in one process. Each file can also be run alone: node --test <file>.
import { it } from 'node:test';

/** Registers the tests of files of this folder; names without `.test.mjs`. */
export async function registerTogether(names) {
	// Other tests wait for this one: all are registered before the first begins, and n8n is stopped once no test is left.
	let everyFileIsLoaded;
	const loading = new Promise((resolve) => (everyFileIsLoaded = resolve));
	it('every file is loaded', async () => await loading);

	for (const file of names.map((name) => `${name}.test.mjs`)) {
		try {
			await import(`./${file}`);
		} catch (error) {
			it(`${file} is loaded`, () => {
				throw error;
			});
		}
	}
	everyFileIsLoaded();
}
