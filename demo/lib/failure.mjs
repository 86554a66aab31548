/** A step that failed: what happened, what to do next, and what its program printed. */
export class DemoError extends Error {
	constructor(message, { next, output = '' }) {
		super(message);
		Object.assign(this, { next, output });
	}
}

/** Prints the reason of a failure, what the program printed, and the next step, each in its own paragraph. */
export function printFailure(error) {
	console.error(`\nStopped: ${error.message}`);
	if (error instanceof DemoError) {
		if (error.output) console.error(`\n${lastLines(error.output, 40)}`);
		console.error(`\nWhat to do: ${error.next}`);
	} else {
		console.error(error.stack);
	}
}

function lastLines(text, count) {
	const lines = text.trimEnd().split('\n').slice(-count);
	return lines.map((line) => `    ${line}`).join('\n');
}
