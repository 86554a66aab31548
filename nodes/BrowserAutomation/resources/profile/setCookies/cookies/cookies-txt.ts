const HTTP_ONLY = '#HttpOnly_';

const isTrue = (text: string) => text.trim().toUpperCase() === 'TRUE';

/**
 * Reads a `cookies.txt` file, as browsers of old and curl write it: one cookie a line, its fields separated by tabs.
 *
 * @returns one object for each cookie, or which line is not a cookie
 */
export function readCookiesTxt(
	text: string,
): { list: unknown[]; problem?: undefined } | { list?: undefined; problem: string } {
	const list: unknown[] = [];
	for (const [index, written] of text.split(/\r\n|\r|\n/).entries()) {
		// Not tabs: in front of a line they are fields without a value.
		const line = written.replace(/^ +/, '');
		const httpOnly = line.startsWith(HTTP_ONLY);
		if (line.trim() === '' || (line.startsWith('#') && !httpOnly)) continue;
		const fields = (httpOnly ? line.slice(HTTP_ONLY.length) : line).split('\t');
		// Editors that cut blanks at line ends cut an empty value.
		if (fields.length < 6)
			return { problem: `Cookies is neither JSON nor a cookies.txt file: line ${index + 1} is not a cookie` };
		const [domain, withSubdomains, path, secure, expires, name, ...value] = fields;
		list.push({
			name,
			value: value.join('\t'),
			domain,
			path,
			httpOnly,
			hostOnly: !isTrue(withSubdomains),
			secure: isTrue(secure),
			expires,
		});
	}
	return { list };
}
