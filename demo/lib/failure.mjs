/** A step that did not work, and what the reader can do next. */
export class DemoError extends Error {
	/**
	 * @param {string} message what happened
	 * @param {{ next: string, output?: string }} details what to do next, and what the program in question printed
	 */
	constructor(message, { next, output = '' }) {
		super(message);
		this.next = next;
		this.output = output;
	}
}

/** Prints a failure so that its reason, the program's own words and the next thing to do stand apart. */
export function printFailure(error) {
	console.error(`\nThe demo stopped: ${error.message}`);
	if (error instanceof DemoError) {
		if (error.output) console.error(`\n${lastLines(error.output, 40)}`);
		console.error(`\nWhat to do: ${error.next}`);
	} else {
		console.error(error.stack);
	}
}

function lastLines(text, count) {
	return text
		.trimEnd()
		.split('\n')
		.slice(-count)
		.map((line) => `    ${line}`)
		.join('\n');
}
