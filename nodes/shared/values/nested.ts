// Finds and changes values in nested JSON.

import { findName } from './text';

export const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** n8n writes paths such as `lines[0].sku` and `['first name']`. */
const STEP = /(?:^|\.)([^.[\]]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]/gy;

function stepsOf(path: string): string[] {
	const steps = [...path.matchAll(STEP)];
	if (steps.reduce((length, [step]) => length + step.length, 0) < path.length || path === '') return [path];
	return steps.map(([, name, index, ...inQuotes]) => {
		return name ?? index ?? inQuotes.find((text) => text !== undefined)!.replace(/\\(.)/g, '$1');
	});
}

/** Removes the brackets of n8n from a single name. */
export function fieldName(path: string): string {
	const [name, ...further] = stepsOf(path);
	return name === undefined || further.length ? path : name;
}

function valueOf(value: unknown, name: string): unknown {
	if (Array.isArray(value)) return /^\d+$/.test(name) ? (value as unknown[])[Number(name)] : undefined;
	if (!isObject(value)) return undefined;
	const found = findName(Object.keys(value), name);
	return found === undefined ? undefined : value[found];
}

/** The exact name has precedence over a path. */
export function valueAt(json: Record<string, unknown>, path: string): unknown {
	return Object.hasOwn(json, path) ? json[path] : stepsOf(path).reduce<unknown>(valueOf, json);
}

/** Deeper values exhaust the stack, even in n8n's code. */
export const MAX_DEPTH = 200;

export function isDeeper(value: unknown, depth: number): boolean {
	if (typeof value !== 'object' || value === null) return false;
	return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1));
}

/** Keys change, too. A number stays one unless its text changes. */
export function changeTexts<T>(value: T, change: (text: string) => string, depth = 0): T {
	if (typeof value === 'string') return change(value) as T;
	if (typeof value === 'number') return (change(String(value)) === String(value) ? value : change(String(value))) as T;
	if (typeof value !== 'object' || value === null) return value;
	if (depth >= MAX_DEPTH) return '[nested too deeply]' as T;
	if (Array.isArray(value)) return value.map((element: unknown) => changeTexts(element, change, depth + 1)) as T;
	const entries = Object.entries(value).map(([key, inner]) => [change(key), changeTexts(inner, change, depth + 1)]);
	return Object.fromEntries(entries) as T;
}
