const started = Date.now();
const HEARTBEAT_MS = 15_000;

/** The progress of work that nobody watches. */
export const silent = { doing() {}, note() {} };

/**
 * Runs one step: prints its beginning, during a long step what it is doing, and how long it took. Each line names the step,
 * because another one may run beside it. `doing` prints what the work does now and how long that usually takes, and `note` adds a
 * remark to the last line of the step.
 */
export async function step(title, work) {
	const begun = Date.now();
	const notes = [];
	let now = { what: 'working', usually: 'less than a minute', since: begun };
	print(`${title} ...`);
	const heartbeat = setInterval(() => {
		print(`${title}: still ${now.what}, ${seconds(now.since)} so far, usually ${now.usually}`);
	}, HEARTBEAT_MS);
	try {
		const result = await work({
			doing(what, usually) {
				now = { what, usually, since: Date.now() };
				print(`${title}: ${what}, usually ${usually}`);
			},
			note: (text) => notes.push(text),
		});
		print([`${title}: done in ${seconds(begun)}`, ...notes].join(', '));
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
