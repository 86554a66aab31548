import Ajv2020, { type ErrorObject } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import document from './openapi.json';

/** One element of the body of a 422. */
export type ValidationError = ReturnType<typeof problem>;

export interface Schema {
	type?: string | string[];
	$ref?: string;
	properties?: Record<string, Schema>;
	items?: Schema;
	required?: string[];
	enum?: string[];
	examples?: string[];
	default?: unknown;
	additionalProperties?: boolean;
}

interface OperationObject {
	operationId: string;
	parameters?: Array<{ name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Schema }>;
	requestBody?: { content: { 'application/json': { schema: Schema } } };
	responses: Record<string, { headers?: Record<string, object>; content?: Record<string, object> }>;
}

const METHODS = ['get', 'post', 'delete'] as const;
type PathItem = { servers?: Array<{ url: string }> } & { [method in (typeof METHODS)[number]]?: OperationObject };
const paths = Object.entries(document.paths as unknown as Record<string, PathItem>);

const pointer = (text: string) => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));

// openapi-backend cannot be loaded by jest (it requires an ES module), so the document's own schemas,
// which are JSON Schema 2020-12, go straight to ajv.
const options = { strict: false, allErrors: true, verbose: true };
const plain = addFormats(new Ajv2020(options)).addSchema(document, 'openapi.json');
const coercing = addFormats(new Ajv2020({ ...options, coerceTypes: true })).addSchema(document, 'openapi.json');

export type Operation = (typeof operations)[number];

/** The operations of the OpenAPI document, each with the pattern of the paths it is served at. */
export const operations = paths.flatMap(([path, item]) =>
	METHODS.filter((method) => item[method]).map((method) => {
		const { operationId: id, parameters = [], requestBody, responses } = item[method]!;
		const ref = `openapi.json#/paths/${pointer(path)}/${method}`;
		const prefix = (item.servers ?? document.servers)[0].url;
		return {
			...{ id, method: method.toUpperCase(), path, ref, requestBody, responses },
			pattern: new RegExp(`^${prefix}${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
			parameters: parameters.map((parameter, index) => {
				// A parameter is text on the wire: ajv can only coerce what is a property of something.
				const value = { $ref: `${ref}/parameters/${index}/schema` };
				return { ...parameter, validate: coercing.compile({ type: 'object', properties: { value } }) };
			}),
		};
	}),
);

type Match = { operation: Operation; params: Record<string, string> } | { status: 404 | 405 };

/** Finds the operation of a path; an encoded slash stays inside its segment. */
export function matchOperation(method: string, path: string): Match {
	const fitting = operations.filter(({ pattern }) => pattern.test(path));
	const operation = fitting.find((candidate) => candidate.method === method);
	if (!operation) return { status: fitting.length > 0 ? 405 : 404 };
	const groups = Object.entries(operation.pattern.exec(path)!.groups ?? {});
	return { operation, params: Object.fromEntries(groups.map(([name, text]) => [name, decodeURIComponent(text)])) };
}

/** What a request is checked for; `query` is coerced in place to the declared types. */
export interface RequestParts {
	params: Record<string, unknown>;
	query: Record<string, unknown>;
	headers: Record<string, unknown>;
	body: unknown;
}

/** Checks a request against the OpenAPI document and words the errors as the service does, whose framework is FastAPI. */
export function validateRequest({ ref, parameters, requestBody }: Operation, parts: RequestParts): ValidationError[] {
	const sources = { path: parts.params, query: parts.query, header: parts.headers };
	const errors = parameters.flatMap(({ name, in: place, required, validate }) => {
		const source = sources[place];
		if (source[name] === undefined) return required ? [problem([place, name], 'missing', 'Field required', null)] : [];
		const box = { value: source[name] };
		const isValid = validate(box);
		source[name] = box.value;
		return isValid ? [] : validate.errors!.map((error) => toProblem(error, [place, name]));
	});
	if (!requestBody) return errors;
	if (parts.body === undefined) return [...errors, problem(['body'], 'missing', 'Field required', null)];
	const validate = plain.getSchema(`${ref}/requestBody/content/application~1json/schema`)!;
	return validate(parts.body) ? errors : [...errors, ...validate.errors!.map((error) => toProblem(error, ['body']))];
}

/** Checks one of the service's own responses; returns what does not match the OpenAPI document. */
export function validateResponse(
	of: Operation,
	status: number,
	headers: Record<string, unknown>,
	body: unknown,
): string[] {
	const { id, ref, responses } = of;
	const response = responses[String(status)];
	if (!response) return [`${id} ${status}: status is not in the document`];
	const check = (name: string, at: string, value: unknown) => {
		const validate = plain.getSchema(`${ref}/responses/${status}/${at}/schema`)!;
		return validate(value) ? [] : [`${id} ${status}: ${plain.errorsText(validate.errors, { dataVar: name })}`];
	};
	const names = Object.keys(response.headers ?? {});
	const found = names.flatMap((name) => check(name, `headers/${name}`, headers[name]));
	if (response.content?.['application/json']) found.push(...check('body', 'content/application~1json', body));
	else if (!response.content && body !== undefined) found.push(`${id} ${status}: a body where none is declared`);
	return found;
}

/** One problem of a 422; it repeats what was sent, as the framework does. */
export const problem = (loc: Array<string | number>, type: string, msg: string, input: unknown) => {
	return { loc, type, msg, input, ctx: { given: input } };
};

const KINDS: Record<string, string> = { array: 'list', object: 'dictionary' };

/** What Pydantic says of a violated keyword of a schema. */
function wording({ keyword, params, message }: ErrorObject): string {
	const { type, allowedValues } = params as { type: string; allowedValues: string[] };
	if (keyword === 'required') return 'Field required';
	if (keyword === 'type') return `Input should be a valid ${KINDS[type] ?? type}`;
	if (keyword === 'enum') return `Input should be ${allowedValues.map((value) => `'${value}'`).join(' or ')}`;
	return keyword === 'additionalProperties' ? 'Extra inputs are not permitted' : `Value error, ${message}`;
}

function toProblem(error: ErrorObject, at: ValidationError['loc']): ValidationError {
	const steps = error.instancePath.split('/').slice(1);
	const inner = at[0] === 'body' ? steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step)) : [];
	const { missingProperty, additionalProperty: extra } = error.params as Record<string, string | undefined>;
	const loc = [...at, ...inner, ...[missingProperty ?? extra ?? []].flat()];
	const input = extra ? (error.data as Record<string, unknown>)[extra] : error.data;
	return problem(loc, missingProperty ? 'missing' : error.keyword, wording(error), input);
}
