// Copies input fields to rows, before a run is billed.

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { inputError } from '../../shared/failure/failure';
import { quotedLabel } from '../../shared/form/field';
import type { Field } from '../../shared/form/fields';
import { readChoice, readEntries } from '../../shared/form/read';
import { fieldName, valueAt } from '../../shared/values/nested';
import { shorten } from '../../shared/values/text';
import type { FormReader } from './reader';

export function readIncluded({ readField }: FormReader): string[] | 'all' {
	const include = readField('include', readChoice<string>);
	if (include !== 'selectedOtherFields') return include === 'allOtherFields' ? 'all' : [];
	return readField('fieldsToInclude', readIncludedNames);
}

function readIncludedNames(field: Field, value: unknown, stored: unknown): string[] {
	const included = readEntries(field, value, stored).map(fieldName);
	if (included.length > 0) return included;
	throw inputError(`${quotedLabel(field)} is empty`, 'Enter the names, separated by commas');
}

/** Names are remembered: there may be thousands of items. */
export function fieldsCopier(inputs: INodeExecutionData[]) {
	const known = new Map<string, boolean>();
	const isKnown = (name: string): boolean => {
		const found = known.get(name) ?? inputs.some(({ json }) => valueAt(json, name) !== undefined);
		known.set(name, found);
		return found;
	};
	/**
	 * The input fields of each row, as the JSON that n8n saves. If a field cannot be JSON, n8n would later lose billed rows
	 * (n8n#33172).
	 */
	return (included: string[] | 'all', { json }: INodeExecutionData): IDataObject => {
		const unknown = included === 'all' ? undefined : included.find((name) => !isKnown(name));
		if (unknown !== undefined) {
			const advice = "Correct the name in 'Fields To Include' to match the input";
			throw inputError(`No input item has a field named "${unknown}"`, advice);
		}
		const names = included === 'all' ? Object.keys(json) : included;
		// n8n treats items with a field "error" as failed.
		const entries = names.filter((name) => name !== 'error').map((name) => [name, copyOf(name, json)]);
		return Object.fromEntries(entries) as IDataObject;
	};
}

function copyOf(name: string, json: IDataObject): unknown {
	try {
		return JSON.parse(JSON.stringify(valueAt(json, name) ?? null) ?? 'null') as unknown;
	} catch {
		const reason = `The input field "${shorten(name)}" cannot be included: it cannot be saved as JSON`;
		throw inputError(reason, "Choose other fields in 'Include Input Fields', or correct it in an earlier node");
	}
}
