// Finds what stands in a text instead of a value: an expression of n8n that was not evaluated, or a word that JavaScript writes.

/** n8n's variables in expressions, as its documentation lists them. */
const VARIABLE =
	/\$(?:json|binary|input|node|item|items|now|today|vars|secrets|env|workflow|execution|prevNode|runIndex|itemIndex|parameter|fromAI|jmespath|evaluateExpression)\b|\$\(|\b(?:DateTime|Duration|Interval)\./;

/** What stands behind each opening, up to the closing or the next opening. */
const contentsOf = (text: string, opening: string, closing: string): string[] =>
	text
		.split(opening)
		.slice(1)
		.map((piece) => piece.split(closing, 1)[0]!);

const hasVariable = (text: string): boolean => VARIABLE.test(text);

/** A whole text that is a path from a variable: its names, brackets and calls. */
const PATH =
	/^\s*(?:\$(?:json|binary|input|node|item|items|vars|secrets|env)\b|\$\([^()]*\)|\$(?:now|today)\b)(?:\??\.[\w$]+|\[[^\]]*\]|\([^()]*\))*\s*$/;

/** Whether a text has an expression in braces, or is a path from one of n8n's variables, as a whole. */
export const isUnevaluated = (text: string): boolean =>
	[...contentsOf(text, '{{', '}}'), ...contentsOf(text, '${', '}')].some(hasVariable) || PATH.test(text);

/** What JavaScript writes for a value that is missing or no text. */
const LEFTOVER = /\[object \w+\]|(?<![\p{L}\p{N}])(?:undefined|NaN|Invalid Date(?:Time)?)(?![\p{L}\p{N}])/u;

export const leftoverIn = (text: string): string | undefined => LEFTOVER.exec(text)?.[0];
