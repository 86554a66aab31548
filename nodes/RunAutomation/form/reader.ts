// Reads an item's fields and options by their names in the form.

import { fieldOf, fieldsAndOptions } from '../../shared/form/fields';
import { readField, type FieldReader, type FilledForm } from '../../shared/form/read';
import { fields } from './fields';

const all = fieldsAndOptions(fields);

export class FormReader {
	constructor(private readonly form: FilledForm) {}

	/** A hidden field has its default. */
	read<T>(name: string, read: FieldReader<T>): T {
		const field = fieldOf(all, name);
		const path = field.group === undefined ? name : `options.${name}`;
		return readField(this.form, field, path, field.default, read);
	}
}
