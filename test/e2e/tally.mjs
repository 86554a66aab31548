import { basename, resolve } from 'node:path';

/**
 * Counts what a run of test files reports. A test that was registered and never ended failed, and so did a file without a test: `missing`
 * names what never ran. The result is to be called at the end.
 */
export function tally(events, expected) {
	const open = [];
	const silent = new Set(expected);
	const counts = { passed: 0, failed: 0 };
	// A file is an event of its own, which only says something if its process ended badly.
	const isFile = ({ name, file }) => resolve(name) === file;
	const titleOf = ({ name, file }) => `${basename(file)}: ${name}`;

	function end(kind, event) {
		if (event.nesting > 0) return;
		counts[kind] += 1;
		if (isFile(event)) return;
		const index = open.indexOf(titleOf(event));
		if (index >= 0) open.splice(index, 1);
	}
	events
		.on('test:enqueue', (event) => {
			if (event.nesting > 0 || isFile(event)) return;
			open.push(titleOf(event));
			silent.delete(basename(event.file));
		})
		.on('test:pass', (event) => isFile(event) || end('passed', event))
		.on('test:fail', (event) => end('failed', event));

	return () => {
		const missing = [...open, ...silent];
		return { ...counts, failed: counts.failed + missing.length, missing };
	};
}
