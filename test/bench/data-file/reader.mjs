// Reads one stream from a file, in a process of its own.
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { answer } from '../lib/child.mjs';
import { peakMemory } from '../lib/figures.mjs';

const { RunReader } = createRequire(import.meta.url)('../../../dist/nodes/RunAutomation/stream/index.js');

answer(async ({ file, discard }) => {
	const start = performance.now();
	const reader = discard ? undefined : new RunReader();
	for await (const bytes of createReadStream(file)) reader?.write(bytes);
	const run = reader?.finish({ kind: 'ended' });
	const wall = performance.now() - start;
	return { wall, peak: peakMemory(), characters: run?.message.parts[0].url.length };
});
