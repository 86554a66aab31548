// Judges a field's expressions, because n8n writes nothing, or words such as "undefined", for a value that is missing.

import { ExpressionParser } from 'n8n-workflow';

import { FailureError, inputError, unreadableInput } from '../failure/failure';
import { isUnevaluated, leftoverIn } from '../values/placeholders';
import { shorten } from '../values/text';
import { isMissing, quotedLabel } from './field';
import type { Field } from './fields';

/** Evaluates an expression for the same item. It may throw. */
export type Evaluate = (expression: string) => unknown;

export const isExpression = (stored: unknown): stored is string => typeof stored === 'string' && stored.startsWith('=');

/** The expressions of a stored text, with their braces, and the text around them. */
function splitStored(stored: string): { expressions: string[]; around: string } {
	if (!isExpression(stored)) return { expressions: [], around: stored };
	const expressions: string[] = [];
	let around = '';
	for (const chunk of ExpressionParser.splitExpression(stored.slice(1))) {
		// Braces inside an expression are written with a backslash.
		if (chunk.type === 'text') around += chunk.text;
		else if (chunk.hasClosingBrackets) expressions.push(`{{${chunk.text.replaceAll('}}', '\\}}')}}}`);
		else around += `{{${chunk.text}`;
	}
	return { expressions, around };
}

/** @throws FailureError for a field left in fixed mode, or an expression without braces (n8n-mcp#677, n8n#18181) */
export function rejectUnevaluated(field: Field, stored: unknown): void {
	if (typeof stored !== 'string' || !isUnevaluated(splitStored(stored).around)) return;
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

/** Texts and comments in an expression may have any sign. */
const codeOf = (expression: string): string => expression.replace(/"[^"]*"|'[^']*'|\/\*[^]*?\*\//g, 'x');

/** True if its author wrote what counts instead of a missing value: with `??`, `||`, `$if`, a ternary, or without any variable. */
const hasFallback = (expression: string): boolean =>
	!expression.includes('$') || /\|\||\?(?!\.)|\$if/.test(codeOf(expression));

/** JavaScript writes "undefined" only into a text that code makes. */
const makesText = (expression: string): boolean => /[+`]|(?<!\$)\((?!\))/.test(codeOf(expression));

const isFromAgent = (expression: string): boolean => /\$fromAI/i.test(expression);

const NO_VALUE = 'has no value';

/** @param isAlone true if the expression is the whole field, so that a reader judges an object */
function whyNoValue(expression: string, value: unknown, isAlone: boolean, evaluate: Evaluate): string | undefined {
	const isNothing = isMissing(value) || Number.isNaN(value);
	const mayBeEmpty = hasFallback(expression) && !isFromAgent(expression);
	if (isNothing || (typeof value === 'string' && value.trim() === '' && !mayBeEmpty)) return NO_VALUE;
	let word: string | undefined;
	// JSON would leave out a key without a value.
	if (typeof value === 'object' && isAlone) word = Object.values(value!).includes(undefined) ? 'undefined' : undefined;
	else if (typeof value === 'object' || makesText(expression)) word = leftoverIn(String(value));
	// Code may read such words in the data (n8n-mcp#338).
	if (word === undefined || String(evaluate('{{ JSON.stringify($json) }}')).includes(word)) return undefined;
	return `contains "${word}" instead of a value`;
}

/** In `$json.a.b ?? ''`, a missing `a` would still fail. */
function withFallback(expression: string): string {
	const path = expression.slice(2, -2).trim();
	// An example stands for a long expression, and for code.
	const read = /^\$[\w$.]{1,60}$/.test(path) ? path.replace(/(?<=\..*)\./g, '?.') : '$json.company';
	return `{{ ${read} ?? '' }}`;
}

/** n8n's own reasons, such as "invalid syntax", name neither the field nor the expression (n8n#6046). */
function tryToEvaluate(expression: string, evaluate: Evaluate): { value?: unknown; error?: Error } {
	try {
		return { value: evaluate(expression) };
	} catch (error) {
		return { error: error as Error };
	}
}

const textsIn = (stored: unknown): unknown[] =>
	typeof stored === 'object' && stored !== null ? Object.values(stored).flatMap(textsIn) : [stored];

/**
 * A run without its limit, file or task is billed all the same, so every expression must have a value, and a fallback must be
 * written. In a tool, n8n has filled in what the agent said, and agents leave out values: there, only what the agent was to
 * write into a required field is judged.
 *
 * @param stored the field before evaluation, or a collection with fields
 * @throws FailureError that names the field and the expression
 */
export function rejectMissingValues(field: Field, stored: unknown, evaluate: Evaluate, isTool: boolean): void {
	for (const text of textsIn(stored).filter(isExpression)) {
		const { expressions, around } = splitStored(text);
		const isAlone = expressions.length === 1 && around.trim() === '';
		for (const expression of expressions) {
			const named = `${quotedLabel(field)}: ${shorten(expression)}`;
			const { value, error } = tryToEvaluate(expression, evaluate);
			if (error) {
				const { failure } = unreadableInput(error, 'Correct the expression in this field');
				throw new FailureError({ ...failure, reason: `${named} has no value: ${failure.reason}` });
			}
			if (isTool && !(field.isRequired && isFromAgent(expression))) continue;
			const problem = whyNoValue(expression, value, isAlone, evaluate);
			const fallback = `. If the value may be missing, write ${withFallback(expression)}`;
			const advice = `Correct the expression${problem === NO_VALUE ? fallback : ''}`;
			if (problem !== undefined) throw inputError(`${named} ${problem}`, isTool ? 'Enter a value' : advice);
		}
	}
}
