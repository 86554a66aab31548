// Reads an item's fields and options by their names in the form.

import { fieldOf } from '../../shared/form/fields';
import { readField, type FieldReader, type FilledForm } from '../../shared/form/read';
import { fields } from './fields';
import { optionFields } from './options';

export class FormReader {
	constructor(private readonly form: FilledForm) {}

	/** A hidden field has its default. */
	field<T>(name: string, read: FieldReader<T>): T {
		const field = fieldOf(fields, name);
		return readField(this.form, field, name, field.default, read);
	}

	option<T>(name: string, read: FieldReader<T>): T {
		const field = fieldOf(optionFields, name);
		return readField(this.form, field, `options.${name}`, field.default, read);
	}
}
