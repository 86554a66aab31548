// Reads an item's fields and options, as the form describes them.

import type { IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import { unreadableInput } from '../../shared/failure/failure';
import { fieldOf } from '../../shared/form/field';
import { fromModel, namingField, tryToRead, type FieldReader } from '../../shared/form/read';
import { fields } from './fields';
import { optionFields } from './options';

export interface FormReader {
	/** A hidden field has its default. */
	readField<T>(name: string, read: FieldReader<T>): T;
	readOption<T>(name: string, read: FieldReader<T>): T;
}

/** n8n evaluates all options together. Evaluating each finds the failing one. */
function namingOption(readAll: () => unknown, stored: INodeParameters, valueOf: (path: string) => unknown): unknown {
	const { value, error } = tryToRead(readAll);
	if (!error) return value;
	for (const field of optionFields.filter(({ name }) => stored[name] !== undefined)) {
		namingField(field, () => valueOf(`options.${field.name}`));
	}
	throw unreadableInput(error, 'Correct the options of this node');
}

export function formReader(context: IExecuteFunctions, itemIndex: number, isTool: boolean): FormReader {
	const valueOf = (name: string, unset: unknown): unknown => context.getNodeParameter(name, itemIndex, unset);
	const storedOf = (name: string) => context.getNodeParameter(name, itemIndex, '', { rawExpressions: true });
	const storedOptions = Object(storedOf('options')) as INodeParameters;
	const options = namingOption(
		() => valueOf('options', {}),
		storedOptions,
		(name) => valueOf(name, ''),
	) as INodeParameters;
	const readValue = <T>(field: (typeof optionFields)[0], value: unknown, stored: unknown, read: FieldReader<T>): T =>
		read(field, isTool ? fromModel(field, value, stored) : value, stored);
	return {
		readField(name, read) {
			const field = fieldOf(fields, name);
			const value = namingField(field, () => valueOf(name, field.default));
			return readValue(field, value, storedOf(name), read);
		},
		readOption: (name, read) => readValue(fieldOf(optionFields, name), options[name], storedOptions[name], read),
	};
}
