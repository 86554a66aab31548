// Reads one stream from a file, in a process of its own.
import { createReadStream } from 'node:fs';
import { answer } from '../lib/child.mjs';
import { peakMemory } from '../lib/figures.mjs';
import { loadStreamLibrary } from '../lib/stream-library.mjs';

const { RunReader } = loadStreamLibrary();

answer(async ({ file, discard }) => {
	const start = performance.now();
	const reader = discard ? undefined : new RunReader();
	for await (const bytes of createReadStream(file)) reader?.write(bytes);
	const run = reader?.finish({ kind: 'ended' });
	const wall = performance.now() - start;
	return { wall, peak: peakMemory(), characters: run?.message.parts[0].url.length };
});
