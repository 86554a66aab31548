import type { IExecuteFunctions } from 'n8n-workflow';

import type { Field } from '../../form/field';
import { fieldOf } from '../../form/read-field';
import { fields } from './form';
import { optionFields, withoutGroups } from './options';

/** Reads the value of a field. The value as the workflow has it may be an expression. */
type Read<T> = (field: Field, value: unknown, stored: unknown) => T;

/** Makes what reads the form for one item. */
export function formReader(context: IExecuteFunctions, itemIndex: number) {
	const valueOf = (name: string, unset: unknown) => context.getNodeParameter(name, itemIndex, unset);
	const storedOf = (name: string) => context.getNodeParameter(name, itemIndex, '', { rawExpressions: true });
	const options = withoutGroups(valueOf('options', {}));
	const storedOptions = withoutGroups(storedOf('options'));
	return {
		/** Reads a field; one that the form does not show has its default. */
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

/** The entries of a list that a person has written, or an expression returns, each once. */
export const entriesIn = (list: string, separator = ','): string[] =>
	[...new Set(list.split(separator).map((entry) => entry.trim()))].filter(Boolean);
