// npm run test:e2e: builds the package once, then runs the tests that share one n8n and those that
// start their own beside them. With -- <words>, it runs only the files that have one of them in their name, each by itself.
import { readdirSync } from 'node:fs';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { installN8n } from '../../demo/lib/install.mjs';
import { buildPackage } from '../../demo/lib/package.mjs';
import { tally } from './tally.mjs';

await installN8n();
await buildPackage();
process.env.E2E_PACKAGE_IS_BUILT = 'true';
const words = process.argv.slice(2);
const isAsked = (name) => words.length === 0 || words.some((word) => name.includes(word));
const expected = readdirSync(new URL('.', import.meta.url)).filter(
	(name) => name.endsWith('.test.mjs') && isAsked(name),
);
const own = ['queue', 'retry', 'redaction', 'demo'].map((name) => `${name}.test.mjs`);
const all = ['all.mjs', ...own];
const files = (words.length ? expected : all).map((name) => fileURLToPath(new URL(name, import.meta.url)));
const events = run({ files, concurrency: 2 });
const counts = tally(events, expected);
events
	.compose(new spec())
	.on('end', () => {
		const { passed, failed, missing } = counts();
		for (const name of missing) console.log(`Never ran: ${name}`);
		// In the words of jest: .ci/run adds the two.
		console.log(`Tests: ${failed} failed, ${passed} passed, ${passed + failed} total`);
		if (failed > 0) process.exitCode = 1;
	})
	.pipe(process.stdout);
