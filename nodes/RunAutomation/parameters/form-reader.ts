import type { IExecuteFunctions, INodeParameters, INodeProperties } from 'n8n-workflow';

import { fieldOf } from '../../form/read-field';
import { fields } from './form';
import { options as optionFields } from './options';

/** Reads the value of a field. The value as the workflow has it may be an expression. */
type Read<T> = (field: INodeProperties, value: unknown, stored: unknown) => T;

const storedIn = (parameters: unknown, name: string): unknown => (Object(parameters) as Record<string, unknown>)[name];

/** Makes what reads the form for one item. n8n copies the parameters each time it is asked for them. */
export function formReader(context: IExecuteFunctions, itemIndex: number, parameters: INodeParameters) {
	const options = context.getNodeParameter('options', itemIndex, {}) as Record<string, unknown>;
	return {
		/** Reads a field; one that the form does not show has its default. */
		given: <T>(name: string, read: Read<T>): T => {
			const field = fieldOf(fields, name);
			const value: unknown = context.getNodeParameter(name, itemIndex, field.default as never);
			return read(field, value, storedIn(parameters, name));
		},
		/** Reads an option, whose value is undefined if it is not set. */
		option: <T>(name: string, read: Read<T>): T =>
			read(fieldOf(optionFields, name), options[name], storedIn(parameters.options, name)),
	};
}

export type FormReader = ReturnType<typeof formReader>;
