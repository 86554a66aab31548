import { resources } from '../../nodes/BrowserAutomation/resources';
import type { Operation } from '../../nodes/BrowserAutomation/resources/operation';
import document from '../service/openapi.json';
import { operations as documented, type Schema } from '../service/openapi';
import { operations } from './operations';

export const SCHEMAS = 'nodes/BrowserAutomation/__schema__/v1.0.0';

/** A schema of the document itself, where another one refers to it. */
export const resolve = ({ $ref, ...schema }: Schema): Schema =>
	$ref ? (document.components.schemas as unknown as Record<string, Schema>)[$ref.split('/').at(-1)!] : schema;

/** Fields and types, which is all that n8n shows of a schema. */
function shapeOf(schema: Schema): object {
	const { type, properties, items } = resolve(schema);
	const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, shapeOf(field)]);
	const inside = { properties: properties && Object.fromEntries(fields), items: items && shapeOf(items) };
	return JSON.parse(JSON.stringify({ type, ...inside })) as object;
}

/** The schema of an item: the response, or an entry of its list if the form splits it unless told otherwise. */
export function itemSchema({ list, fields }: Pick<Operation, 'list' | 'fields'>, response: Schema): Schema {
	const isSplit = list && fields.find(({ name }) => name === 'splitIntoItems')?.default;
	return isSplit ? resolve(response).properties![list].items! : response;
}

/** The output schemas that the document describes, each for its file; the others are written by hand. */
export const describedSchemas = operations.flatMap(({ id, resource, operation }) => {
	const { content } = documented.find((one) => one.id === id)?.responses['200'] ?? {};
	const { schema } = (content?.['application/json'] ?? {}) as { schema?: Schema };
	if (!schema?.$ref || content?.['text/event-stream']) return [];
	const { operations: ofResource } = resources.find(({ value }) => value === resource)!;
	const declared = ofResource.find(({ value }) => value === operation)!;
	const file = `${SCHEMAS}/${resource}/${operation}.json`;
	return [{ file, schema: { ...shapeOf(itemSchema(declared, schema)), version: 1 } }];
});
