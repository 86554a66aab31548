// Reads an item's fields and options, as the form describes them.

import type { IExecuteFunctions } from 'n8n-workflow';

import { rejectMissingValues } from '../../shared/form/expressions';
import { fieldOf } from '../../shared/form/field';
import type { FormField } from '../../shared/form/fields';
import { fromModel, type FieldReader } from '../../shared/form/read';
import { fields } from './fields';
import { optionFields } from './options';

export class FormReader {
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly itemIndex: number,
		private readonly isTool: boolean,
	) {}

	/** A hidden field has its default. */
	field<T>(name: string, read: FieldReader<T>): T {
		return this.read(fieldOf(fields, name), name, read);
	}

	option<T>(name: string, read: FieldReader<T>): T {
		return this.read(fieldOf(optionFields, name), `options.${name}`, read);
	}

	private read<T>(field: FormField, path: string, read: FieldReader<T>): T {
		const { context, itemIndex, isTool } = this;
		const stored = context.getNodeParameter(path, itemIndex, '', { rawExpressions: true });
		const evaluate = (expression: string): unknown => context.evaluateExpression(expression, itemIndex);
		rejectMissingValues(field, stored, evaluate, isTool);
		const value = context.getNodeParameter(path, itemIndex, field.default);
		return read(field, isTool ? fromModel(field, value, stored) : value, stored);
	}
}
