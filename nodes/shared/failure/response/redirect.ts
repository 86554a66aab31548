// Explains a redirect. It is never followed, because its target would get the key.

import { quoted } from '../../values/text';
import { parseUrl } from '../../values/url';
import type { ServiceResponse } from './response';

/** The path, `www.` and the scheme may differ within a site. */
const siteOf = ({ host }: URL): string => host.replace(/^www\./, '');

const withoutSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);

interface Redirect {
	target: URL;
	/** A change from https:// to http:// is another site. */
	isSameSite: boolean;
	/** True if the credential's URL is right, but the server redirects to it (starlette#1396). */
	isSameUrl: boolean;
	/** True if the target ends with the request's path, so that another URL in the credential can lead to it. */
	isReachable: boolean;
}

/** The URL that the credential would need to reach the target. */
function credentialUrlFor(target: URL, path: string): string {
	const all = withoutSlash(target.host + target.pathname);
	return withoutSlash(all.endsWith(withoutSlash(path)) ? all.slice(0, all.length - withoutSlash(path).length) : all);
}

export function redirectOf({ headers, url, path = '' }: ServiceResponse): Redirect | undefined {
	const from = url === undefined ? undefined : parseUrl(url);
	const base = from && `${withoutSlash(from.href)}${path}`;
	const target = parseUrl(String(headers.location), base);
	if (!target || headers.location === undefined) return undefined;
	const isSafe = target.protocol === 'https:' || target.protocol === from?.protocol;
	const isSame = from !== undefined && credentialUrlFor(target, path) === withoutSlash(from.host + from.pathname);
	return {
		target,
		isSameSite: isSafe && from !== undefined && siteOf(from) === siteOf(target),
		isSameUrl: isSame && target.protocol === from.protocol,
		isReachable: withoutSlash(target.pathname).endsWith(withoutSlash(path)),
	};
}

/** Advice never names a URL on another host: the key would be sent there. */
export function redirectAdvice(response: ServiceResponse): string {
	const label = quoted(response.urlLabel ?? 'Base URL');
	const { isSameSite, isSameUrl, isReachable } = redirectOf(response) ?? {};
	if (isSameUrl) {
		return `To protect your credential, redirects are not followed. ${label} is correct: ask the operator of its server why it redirects n8n to the same URL`;
	}
	const step =
		isSameSite && isReachable
			? `Set ${label} in the credential to the new URL`
			: `Allow n8n to reach ${label} without a proxy or a sign-in page`;
	return `To protect your credential, redirects are not followed. ${step}`;
}

export function redirectReason(response: ServiceResponse): string {
	const { target, isSameSite = false, isSameUrl = false } = redirectOf(response) ?? {};
	const to = target ? target.origin + (isSameSite || isSameUrl ? target.pathname : '') : 'another URL';
	const sender = isSameSite || isSameUrl || !target ? 'The service' : 'A proxy or a sign-in page';
	return `${sender} redirected the request to ${to}`;
}
