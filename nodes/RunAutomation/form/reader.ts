import type { IExecuteFunctions } from 'n8n-workflow';

import type { Field } from '../../shared/form/fields';
import { fieldOf } from '../../shared/form/read';
import { fields } from './fields';
import { optionFields, withoutGroups } from './options';

/** Reads the value of a field. The value stored in the workflow may be an expression. */
type Read<T> = (field: Field, value: unknown, stored: unknown) => T;

/** Makes the reader of the form for one item. */
export function formReader(context: IExecuteFunctions, itemIndex: number) {
	const valueOf = (name: string, unset: unknown) => context.getNodeParameter(name, itemIndex, unset);
	const storedOf = (name: string) => context.getNodeParameter(name, itemIndex, '', { rawExpressions: true });
	const options = withoutGroups(valueOf('options', {}));
	const storedOptions = withoutGroups(storedOf('options'));
	return {
		/** Reads a field; a hidden field has its default. */
		given: <T>(name: string, read: Read<T>): T => {
			const field = fieldOf(fields, name);
			return read(field, valueOf(name, field.default), storedOf(name));
		},
		/** Reads an option, whose value is undefined if it is not set. */
		option: <T>(name: string, read: Read<T>): T =>
			read(fieldOf(optionFields, name), options[name], storedOptions[name]),
	};
}

export type FormReader = ReturnType<typeof formReader>;

/** The entries of a list from a person or an expression, each once. */
export const entriesIn = (list: string, separator = ','): string[] =>
	[...new Set(list.split(separator).map((entry) => entry.trim()))].filter(Boolean);
