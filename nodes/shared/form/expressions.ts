// Judges expressions that were not evaluated, or returned no value.

import { inputError } from '../failure/failure';
import { isUnevaluated, leftoverPiecesIn, leftoversIn } from '../values/placeholders';
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

const isObjectAsText = (value: unknown): boolean => typeof value === 'object' && /\[object \w+\]/.test(String(value));

const expressionsIn = (stored: unknown): string[] =>
	isExpression(stored) ? (closedPart(stored).match(EXPRESSION) ?? []) : [];

/** A name may have any characters, such as `$json["Price (EUR)"]`. */
const withoutNames = (code: string): string =>
	code.replace(/(?:\$\(|\[)(?:"[^"]*"|'[^']*')[)\]]|\.(?:first|last)\(\)/g, '');

/** True if the expression builds a text, so that "undefined" may come from it. */
const makesText = (code: string): boolean => /[+`(]/.test(withoutNames(code));

/** True if an empty text can only come from the data. With `?? ''`, it is meant. */
const onlyReads = (code: string): boolean => !makesText(code) && !/\?\?|\|\||\?[^.]/.test(withoutNames(code));

/** An empty list is an empty text, too. */
const isBlankText = (value: unknown): boolean =>
	(typeof value === 'string' || Array.isArray(value)) && String(value).trim() === '';

/** References to data: n8n's variables and the names behind them, without called methods. */
const REFERENCE =
	/\$(?:json|binary|input|vars|\((?:"[^"]*"|'[^']*')\))(?:\??\.(?:first|last|all)\(\)|\??\.(?=([\w$]+))\1(?!\()|\[(?:\d+|"[^"]*"|'[^']*')\])*/g;

/** Words such as "undefined" in the data itself are no leftovers (n8n-mcp#338). */
function wordsInData(expression: string, evaluate: Evaluate): string[] {
	return (expression.match(REFERENCE) ?? []).flatMap((reference) => {
		try {
			const value = evaluate(`{{ ${reference} }}`);
			return isMissing(value) ? [] : leftoverPiecesIn(typeof value === 'string' ? value : JSON.stringify(value));
		} catch {
			return [];
		}
	});
}

type ExpressionKind = 'filled' | 'empty' | 'leftover' | 'object';

function kindOf(expression: string, evaluate: Evaluate): ExpressionKind {
	const value = evaluate(expression);
	if (isMissing(value) || (isBlankText(value) && onlyReads(codeIn(expression)))) return 'empty';
	if (isObjectAsText(value)) return 'object';
	const words = leftoversIn(String(value));
	const inData = new Set(words.length > 0 ? wordsInData(expression, evaluate) : []);
	return words.every((word) => inData.has(word)) ? 'filled' : 'leftover';
}

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

/** Data may contain the word itself, an ID never does. */
export function rejectLeftover(field: Field, text: unknown, stored: unknown, isId: boolean, evaluate: Evaluate): void {
	if (typeof text !== 'string' || !isExpression(stored)) return;
	const expressions = expressionsIn(stored);
	const words = [...leftoversIn(text), ...(isId && text === 'null' ? [text] : [])];
	if (words.length === 0 || !(isId || expressions.some(makesText))) return;
	const meant = new Set([
		...leftoverPiecesIn(withoutExpressions(stored)),
		...(isId ? [] : expressions.flatMap((expression) => wordsInData(expression, evaluate))),
	]);
	const word = words.find((one) => !meant.has(one));
	if (word === undefined) return;
	throw inputError(
		`${quotedLabel(field)} contains "${word}" instead of a value`,
		'Correct the expression in this field',
	);
}

/** In an ID, every expression must have a value: "key_" would be another secret (n8n#443). */
export function rejectIncompleteId(field: Field, stored: unknown, evaluate: Evaluate): void {
	const blank = (expression: string): boolean => {
		const value = evaluate(expression);
		return isMissing(value) || isBlankText(value);
	};
	const expressions = expressionsIn(stored);
	// The field is then empty.
	if (expressions.length === 1 && fixedText(stored as string).trim() === '') return;
	const empty = expressions.find(blank);
	if (empty === undefined) return;
	throw inputError(`${shorten(empty)} in ${quotedLabel(field)} has no value`, 'Correct the expression in this field');
}
