import document from '../service/openapi.json';
import { operations as documented, type Schema } from '../service/openapi';
import { operations } from './operations';

export const SCHEMAS = 'nodes/BrowserAutomation/__schema__/v1.0.0';

const resolve = (schema: Schema): Schema =>
	schema.$ref
		? (document.components.schemas as unknown as Record<string, Schema>)[schema.$ref.split('/').at(-1)!]
		: schema;

/** Fields and types, which is all that n8n shows of a schema. */
function shapeOf(schema: Schema): object {
	const { type, properties, items } = resolve(schema);
	const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, shapeOf(field)]);
	return {
		type,
		...(properties && { properties: Object.fromEntries(fields) as object }),
		...(items && { items: shapeOf(items) }),
	};
}

/**
 * The output schemas of the operations that return a response with the fields that the document describes, by the file. The others
 * return what the node makes, and their schemas are written by hand.
 */
export const describedSchemas = operations.flatMap(({ id, resource, operation }) => {
	const { content } = documented.find((one) => one.id === id)?.responses['200'] ?? {};
	const { schema } = (content?.['application/json'] ?? {}) as { schema?: Schema };
	const isReturned = schema?.$ref && !content?.['text/event-stream'];
	return isReturned
		? [{ file: `${SCHEMAS}/${resource}/${operation}.json`, schema: { ...shapeOf(schema), version: 1 } }]
		: [];
});
