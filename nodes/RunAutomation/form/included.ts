// Copies input fields to rows, before a run is billed.

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { inputError } from '../../shared/failure/failure';
import { quotedLabel } from '../../shared/form/field';
import type { Field } from '../../shared/form/fields';
import { readChoice, readEntries } from '../../shared/form/read';
import { fieldName, valueAt } from '../../shared/values/nested';
import { shorten, shortenList } from '../../shared/values/text';
import type { FormReader } from './reader';

export function readIncluded({ readField }: FormReader): string[] | 'all' {
	const include = readField('include', readChoice<string>);
	if (include !== 'selectedOtherFields') return include === 'allOtherFields' ? 'all' : [];
	return readField('fieldsToInclude', readIncludedNames);
}

function readIncludedNames(field: Field, value: unknown, stored: unknown): string[] {
	const included = readEntries(field, value, stored).map(fieldName);
	if (included.length === 0) throw inputError(`${quotedLabel(field)} is empty`, 'Enter the names, separated by commas');
	if (!included.includes('error')) return included;
	throw inputError(
		'A field named "error" cannot be included',
		'n8n treats items with this field as failed. Rename it in an earlier node',
	);
}

const ERROR_LEFT_OUT = 'The field "error" of the input is not included: n8n treats items with this field as failed';

const FIELD_NAMES = "'Fields To Include'";

/** Columns and the field `run` have precedence over input fields. */
interface RowsWithInput {
	included: string[] | 'all';
	columns: string[];
	includeRunDetails: boolean;
}

export interface IncludedFields {
	/** n8n saves values as JSON: a date becomes text, for example. */
	values: IDataObject;
	/** Characters of the values' JSON. */
	size: number;
	notes: string[];
}

const NOTHING: IncludedFields = { values: {}, size: 0, notes: [] };

/** If a field cannot be JSON, n8n would later lose billed rows (n8n#33172). */
function copied(name: string, json: IDataObject): string {
	try {
		return JSON.stringify(valueAt(json, name) ?? null) ?? 'null';
	} catch {
		const reason = `The input field "${shorten(name)}" cannot be included: it cannot be saved as JSON`;
		throw inputError(reason, "Choose other fields in 'Include Input Fields', or correct it in an earlier node");
	}
}

/**
 * Rejects a name that no item has. Names are cached: there may be thousands of items.
 *
 * @param isHidden whether notes must not have names
 */
export function fieldsCopier(inputs: INodeExecutionData[], isHidden: boolean) {
	const known = new Map<string, boolean>();
	const isKnown = (name: string) => {
		const found = known.get(name) ?? inputs.some(({ json }) => valueAt(json, name) !== undefined);
		known.set(name, found);
		return found;
	};
	return ({ included, columns, includeRunDetails }: RowsWithInput, { json }: INodeExecutionData): IncludedFields => {
		if (included.length === 0) return NOTHING;
		const isColumn = (name: string) => columns.includes(name) || (includeRunDetails && name === 'run');
		const names = included === 'all' ? Object.keys(json) : included;
		const free = names.filter((name) => name !== 'error' && !isColumn(name));
		const missing = free.filter((name) => included !== 'all' && valueAt(json, name) === undefined);
		const unknown = missing.find((name) => !isKnown(name));
		if (unknown !== undefined) {
			throw inputError(
				`No input item has a field named "${unknown}"`,
				`Correct the name in ${FIELD_NAMES} to match the input`,
			);
		}
		const texts = free.map((name) => `${JSON.stringify(name)}:${copied(name, json)}`);
		const text = `{${texts.join(',')}}`;
		const replaced = names.filter((name) => isColumn(name) && valueAt(json, name) !== undefined);
		const notes = [
			...(included === 'all' && Object.hasOwn(json, 'error') ? [ERROR_LEFT_OUT] : []),
			...(replaced.length
				? [`Input fields replaced by columns: ${isHidden ? replaced.length : shortenList(replaced, 5).join(', ')}`]
				: []),
			...missing.map((name) => {
				const field = isHidden ? 'a field' : `the field "${name}"`;
				return `Some input items lack ${field} (${FIELD_NAMES}), so its value is null there`;
			}),
		];
		return { values: JSON.parse(text) as IDataObject, size: text.length, notes };
	};
}
