import { COLUMN_TYPES } from '../../nodes/RunAutomation/form/fields';
import { rowsFormat } from '../../nodes/RunAutomation/columns/schema';

interface OldShape {
	type: string;
	choices?: string[];
	entry?: OldShape;
	fields?: Array<OldShape & { name: string; isRequired?: boolean }>;
}

/* eslint-disable @typescript-eslint/no-explicit-any -- a sketch */
function schemaOf({ type, choices, entry, fields }: OldShape): any {
	const own = type === 'any' ? {} : type === 'integer' ? { type } : (COLUMN_TYPES as any)[type].schema;
	return {
		...own,
		...(type === 'choice' && { enum: choices }),
		...(entry && { items: schemaOf(entry) }),
		...(fields && {
			properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
			required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
		}),
	};
}

export const formatOf = (columns: any[], isSingle = false) =>
	rowsFormat(schemaOf({ type: 'object', fields: columns }), isSingle);
