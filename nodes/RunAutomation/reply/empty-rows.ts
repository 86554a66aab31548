// Finds rows that say nothing: agents fill in the form even if they found nothing, or stop writing.

import { isJsonObject, Numeral, type Json } from '../../shared/values/json';
import type { NamedShape } from '../columns/types';

export const isEmpty = (json: Json): boolean => json === null || (typeof json === 'string' && json.trim() === '');

const isBlank = (row: Json): boolean => isJsonObject(row) && Object.keys(row).length === 0;

const hasLeaf = (json: Json): boolean =>
	typeof json === 'object' && json !== null && !(json instanceof Numeral)
		? Object.values(json).some(hasLeaf)
		: !isEmpty(json);

/** Keys that are no columns count, too. An empty list is a value only where no list is expected. */
export function isFilledRow(row: Json, columns: NamedShape[]): boolean {
	if (!isJsonObject(row)) return !isEmpty(row);
	return Object.entries(row).some(([key, json]) => {
		const type = columns.find(({ name }) => name === key)?.type ?? 'any';
		return ['any', 'list', 'object'].includes(type) ? hasLeaf(json) : !isEmpty(json);
	});
}

const isDots = (text: string) => /^(?:\.{3}|[…⋯])[.…⋯]*$/.test(text.replace(/[\s()[\]]/g, ''));

const leavesOf = (json: Json): Json[] =>
	typeof json === 'object' && json !== null && !(json instanceof Numeral)
		? Object.values(json).flatMap(leavesOf)
		: [json];

/** True for dots instead of rows that the agent did not write, such as {"name": "..."}. */
export function isOfDots(row: Json): boolean {
	const values = leavesOf(row).filter((json) => !isEmpty(json));
	return values.length > 0 && values.every((json) => typeof json === 'string' && isDots(json));
}

/**
 * Returns rows with their places: none if all are empty and no column is required. Empty rows among others stay, because
 * rows may match those of the input. `{}` at the end is removed.
 */
export function rowsOf(list: Json[], columns: NamedShape[], isSingle: boolean): Array<[number, Json]> {
	const all = [...list.entries()];
	if (isSingle) {
		const rows = all.filter(([, row]) => !isBlank(row));
		return rows.length > 0 ? rows : all.slice(0, 1);
	}
	const needsValues = columns.some(({ isRequired }) => isRequired);
	if (!needsValues && !list.some((row) => isFilledRow(row, columns))) return [];
	return all.slice(0, list.findLastIndex((row) => !isBlank(row)) + 1);
}
