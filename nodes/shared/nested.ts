/** Whether a value is a JSON object: neither a list nor null. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of a field of an item by its name, or by a path of names such as `company.name`; undefined if it has no such field. */
export function valueAt(json: Record<string, unknown>, path: string): unknown {
	if (Object.hasOwn(json, path)) return json[path];
	return path
		.split('.')
		.reduce<unknown>((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), json);
}

/** Maximum nesting of values. Code that walks through much deeper values, including n8n's, exhausts the stack. */
export const MAX_DEPTH = 200;

/** Whether a value has more than the given number of levels of lists and objects. */
export function isDeeper(value: unknown, depth: number): boolean {
	if (typeof value !== 'object' || value === null) return false;
	return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1));
}

/** A value with every text in it, keys included, changed by a function. Values that are nested too deeply are left out. */
export function changeTexts<T>(value: T, change: (text: string) => string, depth = 0): T {
	if (typeof value === 'string') return change(value) as T;
	if (typeof value !== 'object' || value === null) return value;
	if (depth >= MAX_DEPTH) return '[nested too deeply]' as T;
	if (Array.isArray(value)) return value.map((element: unknown) => changeTexts(element, change, depth + 1)) as T;
	const entries = Object.entries(value).map(([key, inner]) => [change(key), changeTexts(inner, change, depth + 1)]);
	return Object.fromEntries(entries) as T;
}
