// Makes hints, and combines and shows those of all items of a node. n8n renders hints as HTML, so every value is escaped.

import type { IExecuteFunctions, INode, NodeExecutionHint } from 'n8n-workflow';

import { withoutTokens } from '../mask/file-tokens';
import { quietly } from '../n8n/record-runs';
import { shortenList } from '../values/text';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

declare const ESCAPED: unique symbol;

/** Only `html` makes this type. */
type HintHtml = string & { [ESCAPED]: true };

/** Redaction does not cover hints, so under a redaction policy they contain neither items' values nor the service's texts. */
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

const MAX_HINTS = 5;

export const hintsIf = (
	...rows: Array<[condition: unknown, message: HintHtml, type?: NodeExecutionHint['type']]>
): Hint[] => rows.filter(([condition]) => condition).map(([, message, type = 'warning']) => hint(message, type));

/** A workflow or a loop ends early if there are no items (n8n#13592, n8n#21909). */
export const sentenceIfEmpty = ({ alwaysOutputData }: INode): string =>
	alwaysOutputData ? '' : ". Later nodes do not run, unless 'Always Output Data' is on in this node's settings";

const MAX_NAMED = 5;

/** n8n counts items from 0. */
const namesOf = (items: number[]): string =>
	shortenList(
		items.map((item) => `[item ${item}]`),
		MAX_NAMED,
	).join(', ');

/**
 * n8n marks a node that continues on errors as a success.
 *
 * @param reason of the first one, masked; undefined under a redaction policy
 */
export function failedItemsHint(failed: Array<{ index: number }>, count: number, reason: string | undefined): Hint[] {
	const first = reason === undefined ? '' : `. ${namesOf([failed[0]!.index])}: ${reason}`;
	return [hint(html`${failed.length} of ${count} items failed${first}`, 'warning')];
}

function withItemNumbers(hintsOfItems: Hint[][]): Hint[] {
	const found = new Map<HintHtml, { hint: Hint; items: number[] }>();
	for (const [item, hints] of hintsOfItems.entries()) {
		for (const hint of hints) {
			const known = found.get(hint.message) ?? { hint, items: [] };
			if (known.items.at(-1) !== item) known.items.push(item);
			found.set(hint.message, known);
		}
	}
	return [...found.values()].map(({ hint, items }) =>
		hintsOfItems.length === 1 ? hint : { ...hint, message: `${namesOf(items)}: ${hint.message}` as HintHtml },
	);
}

/** `general` hints concern no single item. */
export function showHints(context: IExecuteFunctions, hintsOfItems: Hint[][], general: Hint[]): void {
	const different = [...general, ...withItemNumbers(hintsOfItems)];
	const shown = different.slice(0, MAX_HINTS);
	const rest = different.length - shown.length;
	const more = rest ? [hint(html`Hints not shown: ${rest}`, 'info')] : [];
	quietly(() => context.addExecutionHints(...shown, ...more));
}
