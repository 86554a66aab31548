// Reads an item's fields and options, as the form describes them.

import type { IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import { unreadableInput } from '../../shared/failure/failure';
import { fieldOf } from '../../shared/form/field';
import { fromModel, namingField, tryToRead, type FieldReader } from '../../shared/form/read';
import { fields } from './fields';
import { optionFields } from './options';

export class FormReader {
	private readonly options: INodeParameters;
	private readonly storedOptions: INodeParameters;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly itemIndex: number,
		private readonly isTool: boolean,
	) {
		this.storedOptions = Object(this.storedOf('options')) as INodeParameters;
		const { value, error } = tryToRead(() => this.valueOf('options', {}));
		if (error) {
			// n8n evaluates all options together. Evaluating each finds the failing one.
			for (const field of optionFields.filter(({ name }) => this.storedOptions[name] !== undefined))
				namingField(field, () => this.valueOf(`options.${field.name}`, ''));
			throw unreadableInput(error, 'Correct the options of this node');
		}
		this.options = value as INodeParameters;
	}

	/** A hidden field has its default. */
	field<T>(name: string, read: FieldReader<T>): T {
		const field = fieldOf(fields, name);
		const stored = this.storedOf(name);
		const value = namingField(field, () => this.valueOf(name, field.default));
		return read(field, this.isTool ? fromModel(field, value, stored) : value, stored);
	}

	option<T>(name: string, read: FieldReader<T>): T {
		const field = fieldOf(optionFields, name);
		const value = this.options[name];
		const stored = this.storedOptions[name];
		return read(field, this.isTool ? fromModel(field, value, stored) : value, stored);
	}

	private valueOf(name: string, unset: unknown): unknown {
		return this.context.getNodeParameter(name, this.itemIndex, unset);
	}

	private storedOf(name: string): unknown {
		return this.context.getNodeParameter(name, this.itemIndex, '', { rawExpressions: true });
	}
}
