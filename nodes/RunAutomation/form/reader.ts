import type { IExecuteFunctions } from 'n8n-workflow';

import { fieldOf } from '../../shared/form/field';
import { fromModel, type FieldReader } from '../../shared/form/read';
import { fields } from './fields';
import { optionFields, withoutGroups } from './options';

export interface FormReader {
	/** Reads a field; a hidden field has its default. */
	given<T>(name: string, read: FieldReader<T>): T;
	/** Reads an option, whose value is undefined if it is not set. */
	option<T>(name: string, read: FieldReader<T>): T;
}

export function formReader(context: IExecuteFunctions, itemIndex: number, isTool: boolean): FormReader {
	const valueOf = (name: string, unset: unknown) => context.getNodeParameter(name, itemIndex, unset);
	const storedOf = (name: string) => context.getNodeParameter(name, itemIndex, '', { rawExpressions: true });
	const options = withoutGroups(valueOf('options', {}));
	const storedOptions = withoutGroups(storedOf('options'));
	const readField = <T>(field: (typeof optionFields)[0], value: unknown, stored: unknown, read: FieldReader<T>): T =>
		read(field, isTool ? fromModel(field, value, stored) : value, stored);
	return {
		given(name, read) {
			const field = fieldOf(fields, name);
			return readField(field, valueOf(name, field.default), storedOf(name), read);
		},
		option: (name, read) => readField(fieldOf(optionFields, name), options[name], storedOptions[name], read),
	};
}
