// Finds what stands in a text instead of a value: an expression of n8n that was not evaluated, or a word that JavaScript writes.

/** n8n's variables in expressions, as its documentation lists them. PHP has variables of its own: `$item->name`. */
const NAMES =
	'(?:json|binary|input|node|now|today|vars|secrets|env|workflow|execution|prevNode|runIndex|itemIndex|nodeVersion|parameter|pageCount)\\b(?!\\s*->)';

const FUNCTIONS = '(?:items?|fromAI|jmespath|evaluateExpression|ifEmpty|if|min|max)?\\(';

const VARIABLE = new RegExp(`\\$(?:${NAMES}|${FUNCTIONS})|\\b(?:DateTime|Duration|Interval)\\.`);

/** What stands behind each opening, up to the closing or the next opening. */
const contentsOf = (text: string, opening: string, closing: string): string[] =>
	text
		.split(opening)
		.slice(1)
		.map((piece) => piece.split(closing, 1)[0]!);

const hasVariable = (text: string): boolean => VARIABLE.test(text);

/** A whole text that is a path from a variable: its names, brackets and calls. */
const PATH = new RegExp(
	`^\\s*\\$(?:${NAMES}|${FUNCTIONS}[^()]*\\))(?:\\??\\.[\\w$]+|\\[[^\\]]*\\]|\\([^()]*\\))*\\s*$`,
);

/** Whether a text has an expression in braces, or is a path from one of n8n's variables, as a whole. */
export const isUnevaluated = (text: string): boolean =>
	[...contentsOf(text, '{{', '}}'), ...contentsOf(text, '${', '}')].some(hasVariable) || PATH.test(text);

/** What JavaScript writes for a value that is missing or no text. */
const LEFTOVER = /\[object \w+\]|(?<![\p{L}\p{N}])(?:undefined|NaN|Invalid Date(?:Time)?)(?![\p{L}\p{N}])/gu;

export const leftoversIn = (text: string): string[] => [...new Set(text.match(LEFTOVER))];
