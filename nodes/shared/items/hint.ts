// Makes a hint. n8n renders hints as HTML, so every value is escaped.

import type { NodeExecutionHint } from 'n8n-workflow';

import { withoutTokens } from '../mask/file-tokens';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

declare const ESCAPED: unique symbol;

/** Only `html` makes this type. */
export type HintHtml = string & { [ESCAPED]: true };

/** Redaction does not cover hints, so they never contain items' values or the service's texts. */
export const html = (texts: TemplateStringsArray, ...values: Array<string | number>): HintHtml =>
	texts.reduce((all, text, index) => `${all}${escape(values[index - 1] ?? '')}${text}`) as HintHtml;

const escape = (value: string | number): string =>
	withoutTokens(String(value)).replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);

export interface Hint extends NodeExecutionHint {
	message: HintHtml;
}

export const hint = (message: HintHtml, type: NodeExecutionHint['type']): Hint => ({
	message,
	type,
	location: 'outputPane',
});
