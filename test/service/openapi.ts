import Ajv2020, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import document from './openapi.json';

/** One element of the body of a 422. */
export interface ValidationError {
	loc: Array<string | number>;
	msg: string;
	type: string;
	input: unknown;
	ctx: Record<string, unknown>;
}

interface Parameter {
	name: string;
	in: 'path' | 'query' | 'header';
	required: boolean;
	schema: object;
}

interface OperationObject {
	operationId: string;
	parameters?: Parameter[];
	requestBody?: object;
	responses: Record<string, { headers?: Record<string, object>; content?: Record<string, object> }>;
}

/** One operation of the OpenAPI document, with the prefix it is served under. */
export interface Operation {
	id: string;
	method: string;
	prefix: string;
	segments: string[];
	/** Where it stands in the document, as a reference. */
	ref: string;
	object: OperationObject;
}

const METHODS = ['get', 'post', 'delete'] as const;
type PathItem = { servers?: Array<{ url: string }> } & { [method in (typeof METHODS)[number]]?: OperationObject };

const referTo = (...parts: string[]) =>
	parts.map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

const isParameter = (segment: string) => segment.startsWith('{');

const operations = Object.entries(document.paths as unknown as Record<string, PathItem>).flatMap(([template, item]) =>
	METHODS.filter((method) => item[method]).map(
		(method): Operation => ({
			id: item[method]!.operationId,
			method: method.toUpperCase(),
			prefix: (item.servers ?? document.servers)[0].url,
			segments: template.split('/').slice(1),
			ref: `openapi.json#${referTo('paths', template, method)}`,
			object: item[method]!,
		}),
	),
);

// openapi-backend cannot be loaded by jest (it requires an ES module), so the document's own schemas,
// which are JSON Schema 2020-12, go straight to ajv.
const options = { strict: false, allErrors: true, verbose: true };
const plain = addFormats(new Ajv2020(options)).addSchema(document, 'openapi.json');
const coercing = addFormats(new Ajv2020({ ...options, coerceTypes: true })).addSchema(document, 'openapi.json');
const boxes = new Map<string, ValidateFunction>();

/** A parameter is text on the wire: ajv can only coerce what is a property of something. */
function boxValidator($ref: string): ValidateFunction {
	const validate = boxes.get($ref) ?? coercing.compile({ type: 'object', properties: { value: { $ref } } });
	boxes.set($ref, validate);
	return validate;
}

/**
 * Finds the operation of a path. The path is split on "/" first and each segment decoded
 * then, so that an encoded slash stays inside its segment.
 */
export function matchOperation(
	method: string,
	path: string,
): { operation: Operation; params: Record<string, string> } | { status: 404 | 405 } {
	let status: 404 | 405 = 404;
	for (const operation of operations) {
		if (!path.startsWith(`${operation.prefix}/`)) continue;
		const given = path.slice(operation.prefix.length + 1).split('/');
		if (given.length !== operation.segments.length) continue;
		const params: Record<string, string> = {};
		const fits = operation.segments.every((segment, index) => {
			if (!isParameter(segment)) return segment === given[index];
			try {
				params[segment.slice(1, -1)] = decodeURIComponent(given[index]);
			} catch {
				return false;
			}
			return given[index] !== '';
		});
		if (!fits) continue;
		if (operation.method === method) return { operation, params };
		status = 405;
	}
	return { status };
}

/** What a request is checked for; `query` is coerced in place to the declared types. */
export interface RequestParts {
	params: Record<string, unknown>;
	query: Record<string, unknown>;
	headers: Record<string, unknown>;
	body: unknown;
}

/** Checks a request against the OpenAPI document and words the errors as the service does, whose framework is FastAPI. */
export function validateRequest(operation: Operation, parts: RequestParts): ValidationError[] {
	const { object, ref } = operation;
	const errors: ValidationError[] = [];
	const sources = { path: parts.params, query: parts.query, header: parts.headers };
	(object.parameters ?? []).forEach((parameter, index) => {
		const source = sources[parameter.in];
		const loc = [parameter.in, parameter.name];
		if (source[parameter.name] === undefined) {
			if (parameter.required) errors.push(missing(loc, null));
			return;
		}
		const box = { value: source[parameter.name] };
		const validate = boxValidator(`${ref}/parameters/${index}/schema`);
		if (!validate(box)) errors.push(...validate.errors!.map((error) => toProblem(error, loc)));
		source[parameter.name] = box.value;
	});
	if (object.requestBody) {
		const validate = plain.getSchema(`${ref}/requestBody/content/application~1json/schema`)!;
		if (parts.body === undefined) errors.push(missing(['body'], null));
		else if (!validate(parts.body)) errors.push(...validate.errors!.map((error) => toProblem(error, ['body'])));
	}
	return errors;
}

/** Checks one of the service's own answers; returns what does not match the OpenAPI document. */
export function validateResponse(
	operation: Operation,
	status: number,
	headers: Record<string, unknown>,
	body: unknown,
): string[] {
	const where = `${operation.id} ${status}`;
	const response = operation.object.responses[String(status)];
	if (!response) return [`${where}: status is not in the document`];
	const check = (name: string, at: string, value: unknown) => {
		const validate = plain.getSchema(`${operation.ref}/responses/${status}/${at}/schema`)!;
		return validate(value) ? [] : [`${where}: ${plain.errorsText(validate.errors, { dataVar: name })}`];
	};
	const names = Object.keys(response.headers ?? {});
	const found = names.flatMap((name) => check(name, `headers/${name}`, headers[name]));
	if (response.content?.['application/json']) found.push(...check('body', 'content/application~1json', body));
	else if (!response.content && body !== undefined) found.push(`${where}: a body where none is declared`);
	return found;
}

const missing = (loc: ValidationError['loc'], input: unknown): ValidationError => ({
	...{ loc, msg: 'Field required', type: 'missing', input, ctx: { given: input } },
});

const TYPES: Record<string, [type: string, msg: string]> = {
	string: ['string_type', 'Input should be a valid string'],
	boolean: ['bool_parsing', 'Input should be a valid boolean, unable to interpret input'],
	number: ['float_type', 'Input should be a valid number'],
	integer: ['int_type', 'Input should be a valid integer'],
	array: ['list_type', 'Input should be a valid list'],
	object: ['model_attributes_type', 'Input should be a valid dictionary or object to extract fields from'],
};

/** What Pydantic calls a violated keyword of a schema, what it says, and what it adds to `ctx`. */
function wording({ keyword, params, message }: ErrorObject): [type: string, msg: string, ctx?: object] {
	const given = params as Record<string, unknown>;
	switch (keyword) {
		case 'type':
			return TYPES[given.type as string];
		case 'enum': {
			const quoted = (given.allowedValues as string[]).map((value) => `'${value}'`);
			const expected = `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
			return ['literal_error', `Input should be ${expected}`, { expected }];
		}
		case 'additionalProperties':
			return ['extra_forbidden', 'Extra inputs are not permitted'];
		case 'minItems':
			return ['too_short', 'List should have at least 1 item after validation, not 0', { min_length: given.limit }];
		case 'minLength':
			return ['string_too_short', 'String should have at least 1 character', { min_length: given.limit }];
		default:
			return ['value_error', `Value error, ${message}`];
	}
}

function toProblem(error: ErrorObject, at: Array<string | number>): ValidationError {
	const inner = error.instancePath
		.split('/')
		.slice(1)
		.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
		.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
	const { missingProperty, additionalProperty: extra } = error.params as Record<string, string>;
	const loc = [...at, ...(at[0] === 'body' ? inner : []), ...(extra ? [extra] : [])];
	if (error.keyword === 'required') return missing([...loc, missingProperty], error.data);
	const input = extra ? (error.data as Record<string, unknown>)[extra] : error.data;
	const [type, msg, ctx] = wording(error);
	return { loc, msg, type, input, ctx: { given: input, ...ctx } };
}
