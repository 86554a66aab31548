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

export interface FormReader {
	/** Reads a field; one that the form does not show has its default. */
	given<T>(name: string, read: Read<T>): T;
	/** Reads an option, whose value is undefined if it is not set. */
	option<T>(name: string, read: Read<T>): T;
}

const storedIn = (parameters: unknown, name: string): unknown => (Object(parameters) as Record<string, unknown>)[name];

/** @param parameters those of the node, which n8n copies each time it is asked for them */
export function formReader(context: IExecuteFunctions, itemIndex: number, parameters: INodeParameters): FormReader {
	const options = context.getNodeParameter('options', itemIndex, {}) as Record<string, unknown>;
	return {
		given: (name, read) => {
			const field = fieldOf(fields, name);
			const value: unknown = context.getNodeParameter(name, itemIndex, field.default as never);
			return read(field, value, storedIn(parameters, name));
		},
		option: (name, read) => read(fieldOf(optionFields, name), options[name], storedIn(parameters.options, name)),
	};
}
