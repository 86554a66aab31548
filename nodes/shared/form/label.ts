// A field's label for messages, and whether it has a value.

import type { INodeProperties } from 'n8n-workflow';

import { quoted, snakeCase } from '../values/text';
import { optionOf, type Field } from './fields';

export const isMissing = (value: unknown): value is undefined | null => value === undefined || value === null;

export const hasNoValue = (value: unknown): boolean =>
	isMissing(value) || (typeof value === 'string' && value.trim() === '');

export const quotedLabel = ({ displayName, group }: Field): string => quoted(displayName, group);

export const fieldOf = <F extends INodeProperties>(fields: F[], name: string): F =>
	fields.find((field) => field.name === name)!;

/** The keys are the names that the service may use for the fields. */
export const labelsOf = (fields: Array<INodeProperties & Field>): Record<string, string> =>
	Object.fromEntries(
		fields.flatMap((field) => {
			const { name, type, options } = field;
			if (type === 'collection') return Object.entries(labelsOf((options as INodeProperties[]).map(optionOf)));
			return [name, snakeCase(name)].map((key) => [key, quotedLabel(field)]);
		}),
	);
