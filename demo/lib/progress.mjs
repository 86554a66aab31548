const started = Date.now();
const HEARTBEAT_MS = 15_000;

/**
 * Runs one step: prints its beginning, a keep-alive during the step, and how long it took.
 *
 * @template T
 * @param {string} title
 * @param {(note: (text: string) => void) => Promise<T> | T} work `note` adds a remark to the last line
 * @returns {Promise<T>}
 */
export async function step(title, work) {
	const begun = Date.now();
	const notes = [];
	print(`${title} ...`);
	const heartbeat = setInterval(() => print(`  still working, ${seconds(begun)} so far`), HEARTBEAT_MS);
	try {
		const result = await work((text) => notes.push(text));
		print(['  done in ' + seconds(begun), ...notes].join(', '));
		return result;
	} finally {
		clearInterval(heartbeat);
	}
}

function print(text) {
	console.log(`[${seconds(started).padStart(7)}] ${text}`);
}

function seconds(since) {
	return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}
