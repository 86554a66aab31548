// Explains a redirect. It is never followed, because its target would get the key.

import { quoted } from '../../values/text';
import { parseUrl } from '../../values/url';
import type { ServiceResponse } from './response';

/** The path, `www.` and the scheme may differ within a site. */
const siteOf = ({ host }: URL): string => host.replace(/^www\./, '');

export function redirectOf({ headers, url = '', path = '' }: ServiceResponse) {
	const from = parseUrl(url);
	const target = headers.location === undefined ? undefined : parseUrl(String(headers.location), from && url + path);
	if (!target) return undefined;
	// A change from https:// to http:// is another site.
	const isSafe = target.protocol === 'https:' || target.protocol === from?.protocol;
	return { target, isSameSite: isSafe && from !== undefined && siteOf(from) === siteOf(target) };
}

/** Advice never names a URL on another host: the key would be sent there. */
export function redirectAdvice(response: ServiceResponse): string {
	const label = quoted(response.urlLabel ?? 'Base URL');
	const step = redirectOf(response)?.isSameSite
		? `If the service has moved, set ${label} in the credential to its new URL`
		: `Allow n8n to reach ${label} without a proxy or a sign-in page`;
	return `To protect your credential, redirects are not followed. ${step}`;
}

/** Only the path of the own site is no secret. */
export function redirectReason(response: ServiceResponse): string {
	const { target, isSameSite } = redirectOf(response) ?? {};
	const to = target ? target.origin + (isSameSite ? target.pathname : '') : 'another URL';
	return `The request was redirected to ${to}`;
}
