import type { INodeExecutionData } from 'n8n-workflow';

import { inputError } from '../../shared/failure/failure';
import type { Field } from '../../shared/form/fields';
import { nameOf } from '../../shared/form/field';
import { readEntries } from '../../shared/form/read';
import { isFile } from '../../shared/form/input-files';
import { dataBlock } from '../reply/data-block';
import { quoted, shorten, shortenList } from '../../shared/values/text';
import { fieldName, isObject, valueAt } from '../../shared/values/nested';

export { dataBlock };

const MAX_CHARACTERS = 50_000;

const FILES = quoted('Files for the Agent', 'Data and Files');

const namesIn = ({ json }: INodeExecutionData) =>
	shortenList(
		Object.keys(json).filter((name) => name !== '_files' && json[name] !== undefined && !isFile(json[name])),
		20,
	).join(', ');

/** Fields or files of the input item. */
export interface NamesInForm {
	/** Of the form's field, quoted. */
	label: string;
	names: string[];
}

/** In an expression, n8n leaves out the data of a file. */
const isSameFile = (file: Record<string, unknown>, other: unknown): boolean =>
	isObject(other) && Object.entries(file).every(([name, value]) => other[name] === value);

/** A file that an expression returns stands for its name. */
export function readNames(
	field: Field,
	value: unknown,
	stored: unknown,
	{ json, binary }: INodeExecutionData,
): NamesInForm {
	const named = (entry: unknown) => {
		if (!isObject(entry) || typeof entry.mimeType !== 'string') return entry;
		const files = Object.entries({ ...json, ...Object(json._files), ...binary });
		return files.find(([, file]) => isSameFile(entry, file))?.[0] ?? entry;
	};
	const names = readEntries(field, Array.isArray(value) ? value.map(named) : named(value), stored);
	return { label: nameOf(field), names: names.map(fieldName) };
}

/** Empty without names. */
export function readAgentData(item: INodeExecutionData, { label, names }: NamesInForm): string {
	if (names.length === 0) return '';
	const valueOf = (name: string) => {
		const value = valueAt(item.json, name);
		const quotedName = JSON.stringify(shorten(name));
		if (isFile(value) || (value === undefined && valueAt({ ...item.binary }, name))) {
			throw inputError(`${label}: ${quotedName} is a file`, `Enter its name in ${FILES}`);
		}
		if (value !== undefined) return [name, value] as const;
		const known = namesIn(item);
		throw inputError(
			`${label}: the item has no field ${quotedName}`,
			known ? `Fields of this item: ${known}` : 'This item has no fields',
		);
	};
	const made = dataBlock(Object.fromEntries(names.map(valueOf)));
	if (!made) throw inputError(`${label} cannot be sent as JSON`, 'Choose fields with plain values');
	if (made.characters <= MAX_CHARACTERS) return made.block;
	throw inputError(
		`${label} has ${made.characters} characters, but at most ${MAX_CHARACTERS} can be sent`,
		'Choose fewer fields, or shorten their values in an earlier node',
	);
}
