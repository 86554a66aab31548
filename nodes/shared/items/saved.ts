// Saves the ledgers of a node that stops on an error, so that *Retry execution* starts only what failed. Errors, secrets,
// file contents and included input fields are left out.

import { createHash } from 'node:crypto';

import type { IBinaryKeyData, INodeExecutionData, INodeParameters, INodeProperties } from 'n8n-workflow';

import type { Execution } from '../n8n/execution';
import type { Ledger, Start } from '../start/ledger';
import { withoutFileContents } from '../values/data-url';
import { parseJson } from '../values/json';
import { withBinary, type Outcome, type Success } from './outcome';

/** What saving needs of an item. */
export interface SavableItem {
	index: number;
	/** Undefined if the item starts no run or cannot be read. */
	fingerprint: string | undefined;
	ledger: Ledger<Outcome>;
}

/** A redaction policy forbids saving, and a tool has no *Retry execution*. */
export const maySave = ({ isTool, isRedacted }: Execution): boolean => !isTool && !isRedacted;

const keyOf = ({ runIndex }: Execution, { index, fingerprint }: SavableItem) => `${runIndex}:${index}:${fingerprint}`;

/** Under a redaction policy, the state that an earlier execution saved is deleted. */
export function restoreSaved(execution: Execution, items: SavableItem[]): void {
	const { savedLedgers = {} } = execution.memory.saved;
	for (const item of items) {
		const saved = parseJson(savedLedgers[keyOf(execution, item)] ?? '') as SavedLedger | undefined;
		const { ledger } = item;
		// An earlier attempt has restored it.
		if (item.fingerprint === undefined || !saved || ledger.starts.length > 0) continue;
		ledger.restore(saved.starts, saved.outcome);
	}
	if (execution.isRedacted) deleteSaved(execution);
}

/** An item that was not reached keeps the entry of the retried execution. */
export function saveLedgers(execution: Execution, items: SavableItem[]): void {
	if (!maySave(execution)) return;
	const { saved } = execution.memory;
	const entries = { ...saved.savedLedgers };
	for (const item of items) {
		const { outcome } = item.ledger;
		if (outcome && item.fingerprint !== undefined)
			entries[keyOf(execution, item)] = JSON.stringify(contentToSave(item.ledger, outcome));
	}
	saved.savedLedgers = entries;
}

export function deleteSaved({ memory }: Execution): void {
	delete memory.saved.savedLedgers;
}

interface SavedLedger {
	starts: Start[];
	outcome?: Success;
}

function contentToSave({ starts }: Ledger<Outcome>, outcome: Outcome): SavedLedger {
	if (outcome.failure) return { starts };
	const withoutContents = ({ json, binary = {} }: INodeExecutionData) => {
		const stored = Object.entries(binary).filter(([, { id }]) => id);
		return { json: withoutFileContents(json), ...withBinary(Object.fromEntries(stored) as IBinaryKeyData) };
	};
	return { starts, outcome: { ...outcome, items: outcome.items.map(withoutContents) } };
}

/**
 * Stored values count, because `{{ $now }}` never has the same value. A default does not, so that a field of a later version
 * changes no hash.
 */
export const changedValues = (fields: INodeProperties[], stored: INodeParameters): INodeParameters =>
	Object.fromEntries(
		fields
			.filter(({ name }) => stored[name] !== undefined)
			.filter(({ name, default: initial }) => JSON.stringify(stored[name]) !== JSON.stringify(initial))
			.map(({ name }) => [name, stored[name]] as const)
			.sort(([one], [other]) => (one < other ? -1 : 1)),
	);

/** *Retry execution* recognizes a request whose run is already billed by this hash. */
export const fingerprintOf = (...request: unknown[]): string =>
	createHash('sha256').update(JSON.stringify(request)).digest('base64');
