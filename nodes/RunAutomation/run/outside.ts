// Finds out why a run was interrupted from what the service sent outside `data:`: an error without it, a page, or another format.

import { isPage, isSenderError, readReason } from '../../shared/failure/response/reason';
import { isObject } from '../../shared/values/nested';
import { parseJson } from '../../shared/values/json';
import { filledText } from '../../shared/values/text';

/** Returns the words of a service in a payload: the reason of an error, or the kind of a page. */
export function wordsIn(payload: unknown): string | undefined {
	const { reason, page } = readReason(payload);
	return filledText(reason) ?? (page && `The service returned ${page}`);
}

const PAGE_START = /^\s*<(!doctype|html|head|body|\?xml)/i;

/** The words of an error or a page, if there is one (assistant-ui PR#4096, OmniRoute PR#4937). */
export function wordsOutside(lines: readonly string[]): string | undefined {
	const text = lines.join('\n');
	if (isObject(parseJson(text)) || isPage(text)) return wordsIn(text);
	const error = lines.map((line) => parseJson(line)).findLast((json) => isSenderError(json));
	if (error !== undefined) return wordsIn(error);
	const page = lines.findIndex((line) => PAGE_START.test(line));
	return page < 0 ? undefined : wordsIn(lines.slice(page).join('\n'));
}

/** Text to quote, if it is not the bytes of something else. */
export function textOutside(lines: readonly string[]): string | undefined {
	const text = lines.join(' ').replace(/\s+/g, ' ').trim();
	return /[\uFFFD\p{Cc}]/u.test(text) ? undefined : filledText(text);
}
