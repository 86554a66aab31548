// Finds expressions that were not evaluated, and expressions that returned no text.

import { inputError } from '../failure/failure';
import { shorten } from '../values/text';
import type { Field } from './fields';
import { isMissing, nameOf } from './field';

const UNEVALUATED = /\{\{\s*\$/;

/** Braces after a backslash are text. */
const EXPRESSION = /(?<!\\)\{\{[^]*?\}\}/g;

/** In a field that was left in fixed mode. Only a text of several lines may contain such braces. */
export function rejectUnevaluated(field: Field, stored: unknown): void {
	if (typeof stored !== 'string' || stored.startsWith('=') || !UNEVALUATED.test(stored)) return;
	throw inputError(
		`${nameOf(field)} contains an expression that is not evaluated`,
		field.typeOptions?.rows
			? "Switch the field to 'Expression'. If the text must contain these braces, write {{ '{{' }} for each pair there"
			: "Switch the field to 'Expression'",
	);
}

const isObjectAsText = (value: unknown): boolean => typeof value === 'object' && /\[object \w+\]/.test(String(value));

/** What JavaScript writes for a value that is missing or no text. */
const LEFTOVER = /\[object \w+\]|(?<![\p{L}\p{N}])(?:undefined|NaN|Invalid Date(?:Time)?)(?![\p{L}\p{N}])/u;

const expressionsIn = (stored: unknown): string[] =>
	typeof stored === 'string' && stored.startsWith('=') ? (stored.match(EXPRESSION) ?? []) : [];

type ExpressionKind = 'filled' | 'empty' | 'leftover' | 'object';

function kindOf(value: unknown): ExpressionKind {
	if (isMissing(value)) return 'empty';
	if (isObjectAsText(value)) return 'object';
	return LEFTOVER.test(String(value)) ? 'leftover' : 'filled';
}

export function classifyExpressions(stored: unknown, evaluate: (expression: string) => unknown) {
	const found: Record<ExpressionKind, string[]> = { filled: [], empty: [], leftover: [], object: [] };
	for (const expression of expressionsIn(stored)) {
		try {
			found[kindOf(evaluate(expression))].push(shorten(expression));
		} catch {
			// The field as a whole could be read.
		}
	}
	return found;
}

/** The code of an expression; that of an example, if the expression was shortened. */
export const codeIn = (expression: string): string =>
	expression.endsWith('…') ? '$json.company' : expression.slice(2, -2).trim();

export function withFallback(expression: string): string {
	const code = codeIn(expression);
	return `{{ ${/^[\w$.[\]'" ]+$/.test(code) ? code : `(${code})`} ?? '' }}`;
}

/** Whether code can leave a word of its own in a text. Code that only reads a field, also of another node, cannot. */
const makesText = (code: string): boolean =>
	/[+`(]/.test(code.replace(/\$\((?:"[^"]*"|'[^']*')\)|\.(?:first|last)\(\)/g, ''));

/** An ID never has such a word; the data for any other text may. */
export function rejectLeftover(field: Field, text: unknown, stored: unknown, isId: boolean): void {
	if (typeof text !== 'string' || typeof stored !== 'string' || !stored.startsWith('=')) return;
	const isMade = isId || expressionsIn(stored).some(makesText);
	const [word] = LEFTOVER.exec(text) ?? (isId && text === 'null' ? [text] : []);
	if (!word || !isMade || stored.replace(EXPRESSION, '').includes(word)) return;
	throw inputError(`${nameOf(field)} contains "${word}" instead of a value`, 'Correct the expression in this field');
}
