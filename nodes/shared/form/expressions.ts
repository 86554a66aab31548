// Judges expressions that were not evaluated, or returned no value.

import { inputError } from '../failure/failure';
import { isUnevaluated, leftoverIn } from '../values/placeholders';
import { shorten } from '../values/text';
import type { Field } from './fields';
import { isMissing, quotedLabel } from './field';

/** Evaluates an expression for the same item. It may throw. */
export type Evaluate = (expression: string) => unknown;

/** Braces after a backslash are text. */
const EXPRESSION = /(?<!\\)\{\{[^]*?\}\}/g;

/** Cuts off what follows the last braces, where each search would go to the text's end. */
const closedPart = (stored: string): string => stored.slice(0, stored.lastIndexOf('}}') + 2);

const withoutExpressions = (stored: string): string => {
	const closed = closedPart(stored);
	return closed.replace(EXPRESSION, '') + stored.slice(closed.length);
};

export const isExpression = (stored: unknown): stored is string => typeof stored === 'string' && stored.startsWith('=');

const fixedText = (stored: string): string => (isExpression(stored) ? withoutExpressions(stored.slice(1)) : stored);

/** @throws FailureError for a field left in fixed mode, or an expression without braces (n8n-mcp#677, n8n#18181) */
export function rejectUnevaluated(field: Field, stored: unknown): void {
	if (typeof stored !== 'string' || !isUnevaluated(fixedText(stored))) return;
	const step = isExpression(stored)
		? 'Put it into double braces, such as {{ $json.task }}'
		: "Switch the field to 'Expression', with double braces";
	throw inputError(
		`${quotedLabel(field)} contains an expression that is not evaluated`,
		field.typeOptions?.rows
			? `${step}. If the text must contain these braces, write {{ '{{' }} for each pair there`
			: step,
	);
}

const expressionsIn = (stored: unknown): string[] =>
	isExpression(stored) ? (closedPart(stored).match(EXPRESSION) ?? []) : [];

/** True if the expression only reads data, also in `$json["Price (EUR)"]` and `$('Node (1)').first()`. */
const onlyReads = (expression: string): boolean =>
	!/[+`?|]|(?<!\$)\((?!\))/.test(expression.replace(/"[^"]*"|'[^']*'/g, 'x'));

type ExpressionKind = 'filled' | 'empty' | 'leftover' | 'object';

/** An empty list is an empty text, too. */
const isBlank = (value: unknown): boolean => isMissing(value) || String(value).trim() === '';

function kindOf(expression: string, evaluate: Evaluate): ExpressionKind {
	const value = evaluate(expression);
	// With `?? ''`, an empty text is meant.
	if (isMissing(value) || (isBlank(value) && onlyReads(expression))) return 'empty';
	if (typeof value === 'object' && leftoverIn(String(value))) return 'object';
	const word = onlyReads(expression) ? undefined : leftoverIn(String(value));
	if (word === undefined) return 'filled';
	// The word may stand in the data itself (n8n-mcp#338).
	return String(evaluate('{{ JSON.stringify($json) }}')).includes(word) ? 'filled' : 'leftover';
}

/** Judges each expression by its own value. */
export function classifyExpressions(stored: unknown, evaluate: Evaluate) {
	const found: Record<ExpressionKind, string[]> = { filled: [], empty: [], leftover: [], object: [] };
	for (const expression of expressionsIn(stored)) {
		try {
			found[kindOf(expression, evaluate)].push(shorten(expression));
		} catch {
			// n8n has evaluated the whole field, so this expression works there.
		}
	}
	return found;
}

/** The code of an example stands for a shortened expression. */
export const codeIn = (expression: string): string =>
	expression.endsWith('…') ? '$json.company' : expression.slice(2, -2).trim();

export function withFallback(expression: string): string {
	const code = codeIn(expression);
	return `{{ ${/^[\w$.[\]'" ]+$/.test(code) ? code : `(${code})`} ?? '' }}`;
}

export function rejectLeftover(field: Field, text: unknown, stored: unknown, evaluate: Evaluate): void {
	const word = typeof text === 'string' && isExpression(stored) ? leftoverIn(text) : undefined;
	if (word === undefined) return;
	const { leftover, object } = classifyExpressions(stored, evaluate);
	if (leftover.length + object.length === 0) return;
	throw inputError(
		`${quotedLabel(field)} contains "${word}" instead of a value`,
		'Correct the expression in this field',
	);
}

/** What JavaScript writes for an object beside other text. */
const OBJECT = /\[object \w+\]/;

/** A text field that may contain such words of its data needs `rejectLeftover` or `classifyExpressions` instead. */
export function rejectObject(field: Field, text: unknown, stored: unknown): void {
	const word = typeof text === 'string' && isExpression(stored) ? OBJECT.exec(text)?.[0] : undefined;
	if (word === undefined || fixedText(stored as string).includes(word)) return;
	throw inputError(
		`${quotedLabel(field)} contains "${word}" instead of a value`,
		'Correct the expression in this field',
	);
}

/** In an ID, every expression must have a value: "key_" would be another secret (n8n#443). */
export function rejectIncompleteId(field: Field, stored: unknown, evaluate: Evaluate): void {
	const expressions = expressionsIn(stored);
	// The field is then empty.
	if (expressions.length === 1 && fixedText(stored as string).trim() === '') return;
	const empty = expressions.find((expression) => isBlank(evaluate(expression)));
	if (empty === undefined) return;
	throw inputError(`${shorten(empty)} in ${quotedLabel(field)} has no value`, 'Correct the expression in this field');
}
