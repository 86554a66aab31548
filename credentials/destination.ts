// Decides whether a request of any node may carry a key or a token. `addBearer` calls it.

import type { IHttpRequestOptions } from 'n8n-workflow';

import { parseUrl } from '../nodes/shared/values/url';

/** The HTTP Request node makes these, too. Its older version has `uri` for `url`. */
export type AnyRequest = IHttpRequestOptions & { uri?: string };

const ABSOLUTE = /^([a-z][a-z\d+.-]*:)?\/\//i;

/** n8n's client joins texts: `https://h/v1` and `/x` become `https://h/v1/x`. */
function joinedUrl(url: string, base: string): string {
	if (base === '' || ABSOLUTE.test(url)) return url;
	return url === '' ? base : `${base.replace(/(?<!\/)\/+$/, '')}/${url.replace(/^\/+/, '')}`;
}

/** Lists every URL that n8n may call: its parts join base and path differently. */
export function targetsOf({ baseURL, url, uri }: AnyRequest): Array<URL | undefined> {
	const base = String(baseURL ?? '');
	const given = [url as string | undefined, uri].filter((one) => one !== undefined).map(String);
	return (given.length ? given : ['']).flatMap((one) => {
		const target = parseUrl(joinedUrl(one, base));
		const other = parseUrl(one, base || undefined);
		return other?.origin === target?.origin ? [target] : [other, target];
	});
}

/** A segment of dots: some servers read `..;x` as `..`, ignore blanks, or end a path at a `?` or `#` that they have decoded. */
const DOTS = /(?:^|[/\\])[\s\p{C}]*\.[\s\p{C}.]*(?:[/\\;?#]|$)/u;

/** An escape that is escaped again, a backslash, or a control character. */
const NEVER_IN_PATH = /%[\da-fu][\da-f]|[\\\p{C}]/iu;

function decodedPath(path: string): string | undefined {
	try {
		// Some servers read wide slashes and dots as narrow ones.
		return decodeURIComponent(path).normalize('NFKC');
	} catch {
		return undefined;
	}
}

/**
 * True if servers may read the path differently.
 *
 * @param isOwn true for this package's requests: a name may contain a slash (`team/shop`)
 */
export function isAmbiguousPath({ pathname }: URL, isOwn: boolean): boolean {
	const path = decodedPath(pathname);
	if (path === undefined || DOTS.test(path) || NEVER_IN_PATH.test(path)) return true;
	return !isOwn && path.split('/').length !== pathname.split('/').length;
}

const segmentsOf = ({ pathname }: URL) => pathname.replace(/\/$/, '').split('/');

export function isBelow(target: URL, base: URL): boolean {
	const segments = segmentsOf(target);
	return target.origin === base.origin && segmentsOf(base).every((segment, index) => segments[index] === segment);
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== false && value !== '';

const OWN_CONNECTION =
	'agent agents agentClass httpAgent httpsAgent pool socketPath lookup ca pfx checkServerIdentity servername'.split(
		' ',
	);

/** Client certificates say nothing about which servers the client trusts. */
const HARMLESS_OF_AGENT = ['cert', 'key', 'passphrase', 'rejectUnauthorized'];

type Options = Record<string, unknown>;

const isUnchecked = ({ rejectUnauthorized, strictSSL, insecure, skipSslCertificateValidation }: Options): boolean =>
	rejectUnauthorized === false || strictSSL === false || isSet(insecure) || isSet(skipSslCertificateValidation);

/** Labels an option by which the request's maker could read the key. */
export function optionInTheWay(request: AnyRequest): string | undefined {
	const given = request as unknown as Options;
	const agentOptions = Object(given.agentOptions) as Options;
	if (isUnchecked(given) || isUnchecked(agentOptions)) return "'Ignore SSL Issues'";
	const ofAgent = Object.keys(agentOptions).filter((name) => !HARMLESS_OF_AGENT.includes(name));
	if (OWN_CONNECTION.some((name) => isSet(given[name])) || ofAgent.some((name) => isSet(agentOptions[name])))
		return "'SSL Certificates' or a connection of its own";
	if (Object.keys(Object(given.headers) as object).some((name) => name.trim().toLowerCase() === 'host'))
		return "a 'Host' header";
	const isUnencrypted = isSet(given.proxy) && targetsOf(request).some((target) => target?.protocol === 'http:');
	return isUnencrypted ? "'Proxy' with an http:// URL" : undefined;
}
