import type { IBinaryKeyData, IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Execution } from '../execution/execution-context';
import { isObject, parseJson } from '../values';
import { hint } from './output/hints';
import { withBinary } from './output/items';
import type { KnownRuns, Outcome } from './output/outcome';
import { outcomeChoices } from './parameters/question';

/** Where the outcomes are, in the memory of the node that n8n saves with the execution: a JSON text for each item. */
const KEY = 'keptOutcomes';

/** Where they are once a policy of redaction forbids to save them: only further tries find them there. */
const RECALLED = Symbol('outcomes that may not be saved');

type Memory = { [KEY]?: Record<string, string>; [RECALLED]?: Record<string, string> };

/** What an earlier execution has left of an item: its outcome if it succeeded, and the runs that were started for it. */
export type Kept = KnownRuns & { outcome?: Outcome };

/**
 * What a node that stops on an error keeps of its items, so that *Retry* in the list of executions pays only for what failed. It
 * holds no errors, no secrets, no contents of files, and not the fields of the input that are included.
 */
export class KeptOutcomes {
	/**
	 * @param questions what each item asks for; undefined if its form or credential cannot be read
	 * @param choices what becomes of a run that did not complete
	 */
	constructor(
		private readonly helpers: Pick<IExecuteFunctions['helpers'], 'getBinaryMetadata'>,
		private readonly execution: Pick<Execution, 'isRedacted' | 'memory' | 'mode' | 'round'>,
		private readonly questions: Array<string | undefined>,
		private readonly choices: string,
	) {}

	/** Whether new outcomes may be kept: not under a policy of redaction. */
	get mayKeep(): boolean {
		return !this.execution.isRedacted;
	}

	private get memory(): Memory {
		return this.execution.memory;
	}

	/** What the execution that is retried has left of an item, if the item asks for the same. */
	async recall(item: number): Promise<Kept> {
		const kept = this.memory[RECALLED] ?? this.memory[KEY];
		const stored = this.execution.mode === 'retry' ? parseJson(kept?.[this.keyOf(item)] ?? '') : undefined;
		if (!isObject(stored)) return { runs: [], runsBefore: 0 };
		const { runs, lostThread, items, hints, choices } = stored as unknown as StoredOutcome;
		const known = { runs, runsBefore: runs.length, lostThread };
		if (!items || (choices ?? this.choices) !== this.choices) return known;
		const pairedItem = { item };
		const found: INodeExecutionData[] = [];
		let lost = 0;
		for (const one of items) {
			const { json, binary, missing } = await this.withoutLostFiles(one);
			lost += missing;
			found.push({ json, ...withBinary(binary), pairedItem });
		}
		const told = lost ? [hint(`Files that n8n no longer has: ${lost}`, 'warning')] : [];
		// Those of an execution without a policy may quote values.
		const earlier = this.mayKeep ? hints : [];
		return { ...known, outcome: { ...known, items: found, hints: [...earlier, ...told] } };
	}

	/**
	 * Keeps what the items have brought, beside what earlier executions have left of those that got no further. What cannot be
	 * stored, such as a BigInt, is not kept.
	 */
	keep(outcomes: Array<Outcome | undefined>): void {
		if (!this.mayKeep) return;
		const kept = { ...this.memory[KEY] };
		for (const [item, outcome] of outcomes.entries()) {
			if (!outcome || this.questions[item] === undefined) continue;
			try {
				kept[this.keyOf(item)] = JSON.stringify(whatIsKept(outcome, this.choices));
			} catch {
				// The item is started again, as if nothing had been kept.
			}
		}
		this.memory[KEY] = kept;
	}

	clear(): void {
		delete this.memory[KEY];
	}

	private keyOf(item: number): string {
		return `${this.execution.round}:${item}:${this.questions[item]}`;
	}

	/** An item without the files that n8n no longer has: its JSON names no binary field for them. */
	private async withoutLostFiles({ json, binary = {} }: INodeExecutionData) {
		const there: IBinaryKeyData = {};
		const lost: string[] = [];
		for (const [field, file] of Object.entries(binary)) {
			const isThere = file.id && (await this.helpers.getBinaryMetadata(file.id).catch(() => undefined));
			if (isThere) there[field] = file;
			else lost.push(field);
		}
		const isLost = (name: unknown) => lost.some((field) => `.${String(name)}`.endsWith(`.${field}`));
		const withoutNames = JSON.stringify(json, (key, value) => (key === 'binary' && isLost(value) ? undefined : value));
		return { json: JSON.parse(withoutNames) as IDataObject, binary: there, missing: lost.length };
	}
}

/**
 * What the node keeps; undefined if there is nothing: of a tool, and without an execution. Under a policy of redaction, a *Retry*
 * gets what the execution before it has kept, of which nothing stays.
 */
export function keptOutcomes(
	helpers: IExecuteFunctions['helpers'],
	execution: Execution,
	questions: Array<string | undefined>,
): KeptOutcomes | undefined {
	if (!execution.hasMemory || execution.isTool) return undefined;
	const memory: Memory = execution.memory;
	if (execution.isRedacted && memory[KEY]) {
		memory[RECALLED] = memory[KEY];
		delete memory[KEY];
	}
	return new KeptOutcomes(helpers, execution, questions, outcomeChoices(execution.node));
}

/** What stands in the memory for an item. */
type StoredOutcome = Outcome & {
	failure?: undefined;
	/** What the form said becomes of its run, if that did not complete: with another choice, it is started again. */
	choices?: string;
};

const WHOLE = ['completed', 'started'];

function whatIsKept(outcome: Outcome, choices: string): object {
	if (outcome.failure) return { runs: outcome.runs, lostThread: outcome.lostThread };
	const { items, hints, runs } = outcome;
	const withoutContents = ({ json, binary = {} }: INodeExecutionData) => {
		const files = Object.entries(binary).map(([field, file]) => [field, file.id ? file : {}]);
		return { json, ...withBinary(Object.fromEntries(files) as IBinaryKeyData) };
	};
	const isWhole = WHOLE.includes(runs.at(-1)?.status ?? '');
	return { items: items.map(withoutContents), hints, runs, ...(!isWhole && { choices }) };
}
