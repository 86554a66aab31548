import type { IExecuteFunctions } from 'n8n-workflow';

import { inputError } from '../../errors/node-error';
import { readText, TEXT_ADVICE } from '../../inputs/text';
import { isObject } from '../../values/is-object';
import { COLUMN_TYPES, type Column, type ColumnType, type RowsFormat } from '../rows/column';
import { readValue } from '../rows/value';

/** What to do if rows do not fit the columns. */
export type MisfitReaction = 'askAgain' | 'error' | 'fitting';

/** How the rows of a run are read and returned. */
export interface RowsRequest extends RowsFormat {
	onMisfit: MisfitReaction;
	/** How many runs may follow the first one to correct its rows. */
	maxFollowUps: number;
	onNoRows: 'error' | 'none';
	/** Whether each item has a field `run`. */
	includeRunDetails: boolean;
}

/** Why a column cannot have this name, if it cannot. */
function findNameProblem(name: string, includeRunDetails: boolean): string | undefined {
	if (name === '') return 'A column has no name';
	if (name === 'error') return 'A column cannot be named "error": n8n treats items with this field as failed';
	if (name === '__proto__') return 'A column cannot be named "__proto__"';
	if (name === 'run' && includeRunDetails) return 'A column cannot be named "run" if Include Run Details is on';
	return undefined;
}

type Refuse = (problem: string, advice: string) => Error;

/** The columns under *Using Fields Below*. */
function columnsInFields(value: unknown, refuse: Refuse): Column[] {
	const { column = [] } = Object(value) as { column?: unknown };
	return [column].flat().map((entry) => {
		const fields = Object(entry) as Record<string, unknown>;
		const text = (key: string, label: string) => {
			const { text: read, problem } = readText(fields[key], label);
			if (problem !== undefined) throw refuse(problem, TEXT_ADVICE);
			return read;
		};
		const name = text('name', 'Column Name');
		const type = (text('type', 'Type') || 'text') as ColumnType;
		if (!COLUMN_TYPES.includes(type)) {
			throw refuse(`The type of column "${name}" is not valid`, `Choose one of ${COLUMN_TYPES.join(', ')}`);
		}
		return { name, type, description: text('description', 'Description'), isRequired: fields.required === true };
	});
}

function typeOf(value: unknown): ColumnType | undefined {
	if (typeof value === 'number') return 'number';
	if (typeof value === 'boolean') return 'boolean';
	const types: ColumnType[] = ['date', 'text', 'list', 'object'];
	return types.find((type) => readValue(value, type) !== undefined);
}

/** Unlike the JSON of strangers, an example keeps a key `__proto__`, so that the name can be refused. */
function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** The columns of a pasted example: one row, or a list whose first row counts. */
function columnsInExample(value: unknown, refuse: Refuse): Column[] {
	const example = [typeof value === 'string' ? parse(value) : value].flat()[0];
	if (!isObject(example)) {
		throw refuse(
			'JSON Example is not valid',
			'Enter one row as a JSON object, such as {"name": "Lamp", "price": 12.5}',
		);
	}
	return Object.entries(example).map(([name, sample]) => {
		const type = typeOf(sample);
		if (type) return { name, type, description: '', isRequired: false };
		throw refuse(
			`JSON Example has no value for column "${name}"`,
			'Enter a sample value. It sets the type of the column',
		);
	});
}

/**
 * Reads what the form says about rows for one item.
 *
 * @param maxFollowUps as the form has it, read as a number
 * @throws NodeOperationError that names the field
 */
export function readRowsRequest(
	context: IExecuteFunctions,
	itemIndex: number,
	options: { ifNoRows?: unknown; ifRowsDoNotFit?: unknown; includeRunDetails?: unknown },
	maxFollowUps: number,
): RowsRequest {
	const refuse: Refuse = (problem, advice) => inputError(context.getNode(), itemIndex, problem, advice);
	const field = (name: string, fallback: unknown) => context.getNodeParameter(name, itemIndex, fallback) as unknown;

	const includeRunDetails = options.includeRunDetails === true;
	const columns =
		field('columnsFrom', 'fields') === 'example'
			? columnsInExample(field('jsonExample', ''), refuse)
			: columnsInFields(field('columns', {}), refuse);
	if (columns.length === 0) throw refuse('No columns are defined', 'Add a column');
	const names = columns.map(({ name }) => name);
	const repeated = names.find((name, index) => names.indexOf(name) !== index);
	const nameProblem =
		names.map((name) => findNameProblem(name, includeRunDetails)).find(Boolean) ??
		(repeated === undefined ? undefined : `Two columns are named "${repeated}"`);
	if (nameProblem) throw refuse(nameProblem, 'Give each column its own name, of letters, digits and underscores');
	return {
		columns,
		isSingle: field('rows', 'list') === 'one',
		onMisfit: (options.ifRowsDoNotFit ?? 'error') as MisfitReaction,
		maxFollowUps,
		onNoRows: options.ifNoRows === 'error' ? 'error' : 'none',
		includeRunDetails,
	};
}
