import { refused } from '../../errors/failure';
import { readChoice, readNumber, readSwitch } from '../../form/fields';
import { readText, TEXT_ADVICE } from '../../inputs/text';
import { shorten } from '../../values/shorten';
import { isJsonObject, readJson } from '../rows/json';
import { shapeOf, TYPES, type Column, type ColumnType, type RowsFormat } from '../rows/types';
import type { FormReader } from './run-request';

/** What to do if rows do not fit the columns. */
export type MisfitReaction = 'askAgain' | 'error' | 'fitting';

/** How the rows of a run are read and returned. */
export interface RowsRequest extends RowsFormat {
	onMisfit: MisfitReaction;
	/** How many runs may follow the first one to correct its rows. */
	maxFollowUps: number;
	/** Whether it is an error if there are no rows. */
	needsRows: boolean;
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
		if (!Object.hasOwn(TYPES, type)) {
			const choices = Object.keys(TYPES).join(', ');
			throw refuse(`The type of column "${name}" is not valid`, `Choose one of ${choices}`);
		}
		return { name, type, description: text('description', 'Description'), isRequired: fields.required === true };
	});
}

/** Where an index of a text is, for a person. */
function placeOf(text: string, index: number): string {
	const lines = text.slice(0, index).split('\n');
	const next = text.slice(index).trimStart();
	const there = next === '' ? 'at its end' : `at ${JSON.stringify(shorten(next.split('\n')[0], 20))}`;
	return `${there} (line ${lines.length}, column ${lines.at(-1)!.length + 1})`;
}

/** The columns of a pasted example: one row, or a list whose first row counts. */
function columnsInExample(value: unknown, refuse: Refuse): Column[] {
	const text = typeof value === 'string' ? value : String(JSON.stringify(value));
	const { json, end } = readJson(text);
	const advice = 'Enter one row as a JSON object, such as {"name": "Lamp", "price": 12.5}';
	if (end !== undefined) throw refuse(`JSON Example is not valid ${placeOf(text, end)}`, advice);
	const example = Array.isArray(json) ? json[0] : json;
	if (example === undefined || !isJsonObject(example)) throw refuse('JSON Example is not an object', advice);
	const noValue = (path: string) =>
		refuse(`JSON Example has no value for "${path}"`, 'Enter a sample value. It sets the type');
	return Object.entries(example).map(([name, sample]) => ({
		name,
		description: '',
		isRequired: false,
		...shapeOf(sample, name, noValue),
	}));
}

/**
 * Reads what the form says about rows for one item.
 *
 * @throws Failed that names the field
 */
export function readRowsRequest({ given, option }: FormReader): RowsRequest {
	const refuse: Refuse = refused;
	const valueOf = (name: string) => given(name)[1];
	const ofOption = <T>(read: (field: ReturnType<FormReader['option']>[0], value: unknown) => T, name: string): T => {
		const [field, value] = option(name);
		return read(field, value);
	};

	const includeRunDetails = ofOption(readSwitch, 'includeRunDetails');
	const columns =
		readChoice<string>(...given('columnsFrom')) === 'example'
			? columnsInExample(valueOf('jsonExample'), refuse)
			: columnsInFields(valueOf('columns'), refuse);
	if (columns.length === 0) throw refuse('No columns are defined', 'Add a column');
	const names = columns.map(({ name }) => name);
	const repeated = names.find((name, index) => names.indexOf(name) !== index);
	const nameProblem =
		names.map((name) => findNameProblem(name, includeRunDetails)).find(Boolean) ??
		(repeated === undefined ? undefined : `Two columns are named "${repeated}"`);
	if (nameProblem) throw refuse(nameProblem, 'Give each column its own name, of letters, digits and underscores');
	return {
		columns,
		isSingle: readChoice<string>(...given('rows')) === 'one',
		onMisfit: ofOption(readChoice<MisfitReaction>, 'ifRowsDoNotFit'),
		maxFollowUps: Math.floor(ofOption(readNumber, 'maxFollowUps')),
		needsRows: ofOption(readChoice<string>, 'ifNoRows') === 'error',
		includeRunDetails,
	};
}
