// What the readers of a form know of a field: its label in messages, and whether it has a value.

import type { INodeProperties } from 'n8n-workflow';

import { quoted, snakeCase } from '../values/text';
import { fieldsOf, type Field } from './fields';

export const isMissing = (value: unknown): value is undefined | null => value === undefined || value === null;

/** An empty cell of a table is an empty text. */
export const hasNoValue = (value: unknown): boolean =>
	isMissing(value) || (typeof value === 'string' && value.trim() === '');

export const nameOf = ({ displayName, group }: Field): string => quoted(displayName, group);

export const fieldOf = <F extends INodeProperties>(form: F[], name: string): F =>
	form.find((field) => field.name === name)!;

/** Labels by the names that the service may have for the fields. */
export const labelsOf = (form: Array<INodeProperties & Field>): Record<string, string> =>
	Object.fromEntries(
		form.flatMap((field) => {
			const { name, type, options, routing } = field;
			if (type === 'collection') return Object.entries(labelsOf((options as INodeProperties[]).flatMap(fieldsOf)));
			const property = routing?.send?.property?.replace(/[{}]/g, '');
			return [...new Set(property ? [property] : [name, snakeCase(name)])].map((key) => [key, nameOf(field)]);
		}),
	);
