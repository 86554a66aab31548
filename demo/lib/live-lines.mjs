/** What separates live text from the lines of the steps. */
const INDENT = '    ';

/** Writes pieces of text as they are received, each line indented, without blank lines. */
export function liveLines(write) {
	let lineBreak = '';
	let isNewLine = true;

	return {
		push(text) {
			for (const part of text.split(/(\n+)/).filter(Boolean)) {
				if (part.startsWith('\n')) isNewLine = true;
				else {
					write(isNewLine ? `${lineBreak}${INDENT}${part}` : part);
					[lineBreak, isNewLine] = ['\n', false];
				}
			}
		},
		end: () => write(lineBreak),
	};
}
