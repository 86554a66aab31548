// Combines and shows the hints of all items of a node.

import type { IExecuteFunctions, INode, NodeExecutionHint } from 'n8n-workflow';

import { quietly } from '../n8n/record-runs';
import { shortenList } from '../values/text';
import { type HintHtml, html, type Hint, hint } from './hint';

const MAX_HINTS = 5;

export const hintsIf = (
	...rows: Array<[condition: unknown, message: HintHtml, type?: NodeExecutionHint['type']]>
): Hint[] => rows.filter(([condition]) => condition).map(([, message, type = 'warning']) => hint(message, type));

/** A workflow or a loop ends early if there are no items (n8n#13592, n8n#21909). */
export const withoutItems = ({ alwaysOutputData }: INode): string =>
	alwaysOutputData ? '' : ". Later nodes do not run, unless 'Always Output Data' is on in this node's settings";

const MAX_NAMED = 5;

/** n8n counts items from 0. */
const namesOf = (items: number[]): string =>
	shortenList(
		items.map((item) => `[item ${item}]`),
		MAX_NAMED,
	).join(', ');

/** n8n marks a node that continues on errors as a success. */
export const failedItemsHint = (failed: number[], count: number): Hint[] =>
	failed.length ? [hint(html`${failed.length} of ${count} items failed: ${namesOf(failed)}`, 'warning')] : [];

function withItems(hintsOfItems: Hint[][]): Hint[] {
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

/** Older versions of n8n cannot show hints. `general` ones concern no single item. */
export function showHints(context: IExecuteFunctions, hintsOfItems: Hint[][], general: Hint[]): void {
	const different = [...general, ...withItems(hintsOfItems)];
	const shown = different.slice(0, MAX_HINTS);
	const rest = different.length - shown.length;
	const more = rest ? [hint(html`Hints not shown: ${rest}`, 'info')] : [];
	quietly(() => context.addExecutionHints(...shown, ...more));
}
