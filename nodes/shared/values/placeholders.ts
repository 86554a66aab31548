// Finds unevaluated n8n expressions, or JavaScript's words for missing values, in a text.

/** n8n documents these variables. PHP writes `$item->name`. */
const VARIABLE_NAMES =
	'(?:json|binary|input|node|now|today|vars|secrets|env|workflow|execution|prevNode|runIndex|itemIndex|nodeVersion|parameter|pageCount)\\b(?!\\s*->)';

const FUNCTIONS = '(?:items?|fromAI|jmespath|evaluateExpression|ifEmpty|if|min|max)?\\(';

const VARIABLE = new RegExp(`\\$(?:${VARIABLE_NAMES}|${FUNCTIONS})|\\b(?:DateTime|Duration|Interval)\\.`);

const contentsOf = (text: string, opening: string, closing: string): string[] =>
	text
		.split(opening)
		.slice(1)
		.map((piece) => piece.split(closing, 1)[0]!);

const PATH = new RegExp(
	`^\\s*\\$(?:${VARIABLE_NAMES}|${FUNCTIONS}[^()]*\\))(?:\\??\\.[\\w$]+|\\[[^\\]]*\\]|\\([^()]*\\))*\\s*$`,
);

/** True for an expression in braces, or for a text that is only a variable's path. */
export const isUnevaluated = (text: string): boolean =>
	[...contentsOf(text, '{{', '}}'), ...contentsOf(text, '${', '}')].some((code) => VARIABLE.test(code)) ||
	PATH.test(text);

/** JavaScript writes these for a value that is missing or not text. */
const LEFTOVER = /\[object \w+\]|(?<![\p{L}\p{N}])(?:undefined|NaN|Invalid Date(?:Time)?)(?![\p{L}\p{N}])/u;

export const leftoverIn = (text: string): string | undefined => LEFTOVER.exec(text)?.[0];
