// Separates an agent's reply from the thoughts and citation marks that models write into a text.

import { counted } from '../../shared/values/text';

/** OpenAI's models put citations between private-use characters. A quote would end a text in JSON. */
const CITATION = /\uE200[^"\\\n\uE200\uE201]{0,200}\uE201/g;

/** Models think at the beginning of a text, in any number of blocks. */
const THOUGHTS = /^\s*<(think|thinking|thoughts?|reasoning)>[^]*?<\/\1>\s*/i;

/** Servers swallow some models' first tag. Something follows the last one, alone at the end of its line. */
const END_OF_THOUGHTS = /<\/think(?:ing)?>[ \t\r]*\n\s*(?=\S)/i;

/** Nothing may read the text before this. `leftOut` says what may have been the agent's own. */
export function ownText(text: string): { text: string; leftOut: string[] } {
	let spoken = text.replace(CITATION, '');
	for (let [block] = THOUGHTS.exec(spoken) ?? []; block; [block] = THOUGHTS.exec(spoken) ?? []) {
		spoken = spoken.slice(block.length);
	}
	const end = END_OF_THOUGHTS.exec(spoken);
	if (!end || /<think/i.test(spoken.slice(0, end.index))) return { text: spoken, leftOut: [] };
	const sentence = `Left out of the text: thoughts that have no beginning (${counted(end.index, 'character')})`;
	return { text: spoken.slice(end.index + end[0].length), leftOut: [sentence] };
}
