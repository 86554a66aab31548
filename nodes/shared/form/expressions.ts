// Judges a field's expressions, because n8n writes nothing, or words such as "undefined", for a value that is missing.

import { ExpressionParser } from 'n8n-workflow';

import { FailureError, inputError, unreadableInput } from '../failure/failure';
import { isUnevaluated, leftoverIn } from '../values/placeholders';
import { shorten, isMissing } from '../values/text';
import { quotedLabel, type Field } from './fields';

/** Evaluates an expression for the same item. It may throw. */
type Evaluate = (expression: string) => unknown;

const isExpression = (stored: unknown): stored is string => typeof stored === 'string' && stored.startsWith('=');

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
		field.typeOptions?.rows ? `${step}; there, {{ '{{' }} writes braces that the text must contain` : step,
	);
}

const isFromAgent = (expression: string): boolean => /\$fromAI/i.test(expression);

const NO_VALUE = 'has no value';

/** If `?.` were left out, n8n would find no value for a missing company. */
const WRITE_FALLBACK =
	"Correct the expression, or write a fallback for a value that may be missing, as in {{ $json.company?.name ?? '' }}";

/** @param isAlone true if the expression is the whole field, so that a reader judges an object */
function whyNoValue(expression: string, value: unknown, isAlone: boolean, evaluate: Evaluate): string | undefined {
	// Texts and comments in the expression may have any sign.
	const code = expression.replace(/"[^"]*"|'[^']*'|\/\*[^]*?\*\//g, 'x');
	const hasFallback = !expression.includes('$') || /\|\||\?(?!\.)|\$if/.test(code);
	const mayBeEmpty = hasFallback && !isFromAgent(expression);
	if (isMissing(value) || Number.isNaN(value)) return NO_VALUE;
	if (typeof value === 'string' && value.trim() === '' && !mayBeEmpty) return NO_VALUE;
	let word: string | undefined;
	// JSON would leave out a key without a value.
	if (typeof value === 'object' && isAlone) word = Object.values(value).includes(undefined) ? 'undefined' : undefined;
	// JavaScript writes such words into texts only if code makes the text, with a sign or a call that has arguments.
	else if (typeof value === 'object' || /[+`]|(?<!\$)\((?!\))/.test(code)) word = leftoverIn(String(value));
	// Code may have read the word in the data (n8n-mcp#338).
	if (word === undefined || String(evaluate('{{ JSON.stringify($json) }}')).includes(word)) return undefined;
	return `contains "${word}" instead of a value`;
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
export function checkExpressions(field: Field, stored: unknown, evaluate: Evaluate, isTool: boolean): void {
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
			// A reader judges a field that is the agent's alone.
			if (isTool && (isAlone || !field.isRequired || !isFromAgent(expression))) continue;
			const problem = whyNoValue(expression, value, isAlone, evaluate);
			if (problem !== undefined) throw inputError(`${named} ${problem}`, isTool ? 'Enter a value' : WRITE_FALLBACK);
		}
	}
}
