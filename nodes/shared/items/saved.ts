// Saves the ledgers of a node that stops on an error, so that *Retry execution* starts only what failed. Errors, secrets,
// file contents and included input fields are left out.

import type { IBinaryKeyData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Execution } from '../n8n/execution';
import type { Ledger, Start } from '../start/ledger';
import { parseJson } from '../values/json';
import { isObject } from '../values/nested';
import { hint, html, type Hint } from './hint';
import { withBinary, type Outcome } from './outcome';

export interface SavedItem {
	index: number;
	/** Undefined if the item starts no run or cannot be read. */
	fingerprint: string | undefined;
	ledger: Ledger<Outcome>;
}

/** A redaction policy forbids saving, and a tool has no *Retry execution*. */
export const maySave = ({ isTool, isRedacted }: Execution): boolean => !isTool && !isRedacted;

const keyOf = ({ runIndex }: Execution, { index, fingerprint }: SavedItem) => `${runIndex}:${index}:${fingerprint}`;

/** Under a redaction policy, the state that an earlier execution saved is deleted. */
export async function restoreAll(
	helpers: Pick<IExecuteFunctions['helpers'], 'getBinaryMetadata'>,
	execution: Execution,
	items: SavedItem[],
): Promise<void> {
	const { savedLedgers } = execution.memory.saved;
	if (execution.mode !== 'retry' || !savedLedgers) return;
	for (const item of items.filter(({ fingerprint }) => fingerprint !== undefined)) {
		const saved = parseSaved(savedLedgers[keyOf(execution, item)] ?? '');
		// An earlier attempt has restored it.
		if (!saved || item.ledger.starts.length > 0) continue;
		const { ledger } = item;
		ledger.starts.push(...saved.starts.map((start) => ({ ...start, fromEarlierExecution: true })));
		if (saved.items) {
			ledger.state = { is: 'settled', outcome: await restoredOutcome(helpers, saved), isRestored: true };
		}
	}
	if (execution.isRedacted) clearAll(execution);
}

async function restoredOutcome(
	helpers: Pick<IExecuteFunctions['helpers'], 'getBinaryMetadata'>,
	{ items: saved = [], hints = [] }: SavedLedger,
): Promise<Outcome> {
	const items: INodeExecutionData[] = [];
	let missing = 0;
	for (const { json, binary = {} } of saved) {
		const kept: IBinaryKeyData = {};
		for (const [field, file] of Object.entries(binary)) {
			const isStored = file.id && (await helpers.getBinaryMetadata(file.id).catch(() => undefined));
			if (isStored) kept[field] = file;
			else missing++;
		}
		items.push({ json, ...withBinary(kept) });
	}
	const lostHint = missing ? [hint(html`Files no longer stored by n8n: ${missing}`, 'warning')] : [];
	return { items, hints: [...hints, ...lostHint] };
}

/** An item that was not reached keeps the entry of the retried execution. */
export function saveAll(execution: Execution, items: SavedItem[]): void {
	if (!maySave(execution)) return;
	const { saved } = execution.memory;
	const entries = { ...saved.savedLedgers };
	for (const item of items) {
		const { state } = item.ledger;
		// A file that is missing now may be found by a later retry.
		const isUnchanged = state.is === 'settled' && state.isRestored;
		if (!state.outcome || item.fingerprint === undefined || isUnchanged) continue;
		entries[keyOf(execution, item)] = JSON.stringify(contentToSave(item.ledger, state.outcome));
	}
	saved.savedLedgers = entries;
}

export function clearAll({ memory }: Execution): void {
	delete memory.saved.savedLedgers;
}

interface SavedLedger {
	starts: Start[];
	items?: INodeExecutionData[];
	hints?: Hint[];
}

function parseSaved(text: string): SavedLedger | undefined {
	const saved = parseJson(text);
	if (!isObject(saved)) return undefined;
	const { starts, items, hints } = saved;
	const isList = (list: unknown) => Array.isArray(list) && list.every(isObject);
	const isValid = isList(starts) && [items, hints].every((list) => list === undefined || isList(list));
	return isValid ? (saved as unknown as SavedLedger) : undefined;
}

function contentToSave({ starts }: Ledger<Outcome>, outcome: Outcome): SavedLedger {
	if (outcome.failure) return { starts };
	const withoutContents = ({ json, binary = {} }: INodeExecutionData) => {
		const files = Object.entries(binary).map(([field, file]) => [field, file.id ? file : {}]);
		return { json, ...withBinary(Object.fromEntries(files) as IBinaryKeyData) };
	};
	const { items, hints } = outcome;
	return { starts, items: items.map(withoutContents), hints };
}
