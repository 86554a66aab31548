import type { IExecuteFunctions, INodeParameters, INodeProperties } from 'n8n-workflow';

import { fieldOf } from '../../form/fields';
import { fields } from './fields';
import { options as optionFields } from './options';

/**
 * Reads the value of a field.
 *
 * @param stored the value as the workflow has it: an expression is not evaluated
 */
type Read<T> = (field: INodeProperties, value: unknown, stored: unknown) => T;

const storedIn = (parameters: unknown, name: string): unknown => (Object(parameters) as Record<string, unknown>)[name];

/**
 * Makes what reads the form for one item.
 *
 * @param parameters those of the node, which n8n copies each time it is asked for them
 */
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
