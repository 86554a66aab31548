import type { IBinaryKeyData, IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Execution } from '../execution/execution-context';
import type { Ledger } from '../starts/ledger';
import { isObject, parseJson } from '../values';
import { hint } from './output/hints';
import { withBinary } from './output/items';
import type { Outcome } from './output/outcome';
import { outcomeChoices } from './parameters/request-fingerprint';

// What a node that stops on an error keeps of its items, so that *Retry* in the list of executions pays only for what failed. It holds
// no errors, no secrets, no contents of files, and not the fields of the input that are included.

/** Where that is, in the memory of the node that n8n saves with the execution: a JSON text for each item. */
const SAVED_KEY = 'keptLedgers';

type Memory = { [SAVED_KEY]?: Record<string, string> };

/** An item, and what tells that it asks for the same as before. */
export interface SavedItem {
	index: number;
	/** Undefined if its form or credential cannot be read. */
	fingerprint: string | undefined;
	ledger: Ledger<Outcome | undefined>;
	outcome?: Outcome;
}

/** Whether anything may be kept: not under a policy of redaction, not of a tool, and not without an execution. */
export const maySave = ({ hasMemory, isTool, isRedacted }: Execution): boolean => hasMemory && !isTool && !isRedacted;

const keyOf = ({ round }: Execution, { index, fingerprint }: SavedItem) => `${round}:${index}:${fingerprint}`;

/**
 * Writes into the ledgers what the execution that is retried has left, and forgets what may not be kept: under a policy of redaction,
 * a *Retry* gets what the execution before it has kept, of which nothing stays.
 */
export async function restoreAll(
	helpers: Pick<IExecuteFunctions['helpers'], 'getBinaryMetadata'>,
	execution: Execution,
	items: SavedItem[],
): Promise<void> {
	const kept = (execution.memory as Memory)[SAVED_KEY];
	if (execution.mode !== 'retry' || !kept) return;
	const choices = outcomeChoices(execution.node);
	for (const item of items) {
		const { ledger } = item;
		const stored = parseJson(kept[keyOf(execution, item)] ?? '');
		// A further try has recalled it before.
		if (!isObject(stored) || ledger.starts.length > 0) continue;
		const { starts, lostThread, items: stand, hints, choices: then = choices } = stored as unknown as StoredLedger;
		ledger.starts.push(...starts.map((start) => ({ ...start, fromEarlierExecution: true })));
		ledger.lostThread = lostThread;
		if (!stand || then !== choices) continue;
		const found = await Promise.all(stand.map(async (one) => await withoutLostFiles(helpers, one, item.index)));
		const lost = found.reduce((sum, { missing }) => sum + missing, 0);
		const told = lost ? [hint(`Files that n8n no longer has: ${lost}`, 'warning')] : [];
		// Those of an execution without a policy may quote values.
		const earlier = execution.isRedacted ? [] : hints;
		ledger.outcome = Promise.resolve({ items: found.map(({ item }) => item), hints: [...earlier, ...told] });
		ledger.isKept = true;
	}
	if (execution.isRedacted) clearAll(execution);
}

/**
 * Keeps what the items have brought, beside what stands there of those that got no further. What cannot be stored, such as a BigInt, is
 * not kept.
 */
export function saveAll(execution: Execution, items: SavedItem[]): void {
	if (!maySave(execution)) return;
	const memory: Memory = execution.memory;
	const choices = outcomeChoices(execution.node);
	const kept = { ...memory[SAVED_KEY] };
	for (const item of items) {
		// What was kept stays as it was: a file that n8n does not find now may be there later.
		if (!item.outcome || item.fingerprint === undefined || item.ledger.isKept) continue;
		try {
			kept[keyOf(execution, item)] = JSON.stringify(contentToSave(item.ledger, item.outcome, choices));
		} catch {
			// The item is started again, as if nothing had been kept.
		}
	}
	memory[SAVED_KEY] = kept;
}

export function clearAll({ memory }: Execution): void {
	delete (memory as Memory)[SAVED_KEY];
}

/** What stands in the memory for an item. */
type StoredLedger = Pick<Ledger<unknown>, 'starts' | 'lostThread'> & {
	items?: INodeExecutionData[];
	hints: Array<ReturnType<typeof hint>>;
	/** What the form said becomes of its run, if that did not complete: with another choice, it is started again. */
	choices?: string;
};

const WHOLE = ['completed', 'started'];

function contentToSave({ starts, lostThread }: Ledger<unknown>, outcome: Outcome, choices: string): object {
	if (outcome.failure) return { starts, lostThread };
	const withoutContents = ({ json, binary = {} }: INodeExecutionData) => {
		const files = Object.entries(binary).map(([field, file]) => [field, file.id ? file : {}]);
		return { json, ...withBinary(Object.fromEntries(files) as IBinaryKeyData) };
	};
	const isWhole = WHOLE.includes(starts.at(-1)?.status ?? '');
	const { items, hints } = outcome;
	return { starts, items: items.map(withoutContents), hints, ...(!isWhole && { choices }) };
}

/** An item without the files that n8n no longer has: its JSON names no binary field for them. */
async function withoutLostFiles(
	helpers: Pick<IExecuteFunctions['helpers'], 'getBinaryMetadata'>,
	{ json, binary = {} }: INodeExecutionData,
	itemIndex: number,
) {
	const there: IBinaryKeyData = {};
	const lost: string[] = [];
	for (const [field, file] of Object.entries(binary)) {
		const isThere = file.id && (await helpers.getBinaryMetadata(file.id).catch(() => undefined));
		if (isThere) there[field] = file;
		else lost.push(field);
	}
	const isLost = (name: unknown) => lost.some((field) => `.${String(name)}`.endsWith(`.${field}`));
	const withoutNames = JSON.stringify(json, (key, value) => (key === 'binary' && isLost(value) ? undefined : value));
	const item: INodeExecutionData = {
		json: JSON.parse(withoutNames) as IDataObject,
		...withBinary(there),
		pairedItem: { item: itemIndex },
	};
	return { item, missing: lost.length };
}
