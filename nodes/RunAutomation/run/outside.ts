// Finds out why a run was interrupted in lines without `data:`: an error, a page, or another format.

import { isPage, isSenderError, readReason } from '../../shared/failure/response/reason';
import { isObject } from '../../shared/values/nested';
import { parseJson } from '../../shared/values/json';
import { filledText } from '../../shared/values/text';

/** The service's words: the reason of an error, or the kind of a page. */
export function wordsIn(payload: unknown): string | undefined {
	const { reason, page } = readReason(payload);
	return filledText(reason) ?? (page && `The service returned ${page}`);
}

const PAGE_START = /^\s*<(!doctype|html|head|body|\?xml)/i;

/** The words of an error or a page (assistant-ui PR#4096, OmniRoute PR#4937). */
export function wordsOutside(lines: readonly string[]): string | undefined {
	const text = lines.join('\n');
	if (isObject(parseJson(text)) || isPage(text)) return wordsIn(text);
	const error = lines.map((line) => parseJson(line)).findLast((json) => isSenderError(json));
	if (error !== undefined) return wordsIn(error);
	const page = lines.findIndex((line) => PAGE_START.test(line));
	return page < 0 ? undefined : wordsIn(lines.slice(page).join('\n'));
}

/** Undefined if the lines are not text. */
export function textOutside(lines: readonly string[]): string | undefined {
	const text = lines.join(' ').replace(/\s+/g, ' ').trim();
	return /[\uFFFD\p{Cc}]/u.test(text) ? undefined : filledText(text);
}
