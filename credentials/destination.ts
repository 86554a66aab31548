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

/** Some gateways decode a path more than once. */
const MAX_PASSES = 5;

const decodedOnce = (path: string): string =>
	path.replace(/%([0-7][0-9a-f])/gi, (_escape, hex: string) => String.fromCharCode(parseInt(hex, 16)));

/** Some servers read `..;x` as `..`, or end a path at a `?` or `#` that they have decoded. */
const DOTS = /^\.{1,2}([;?#]|$)/;

/** Overlong encodings (`%C0%AE` is a dot), IIS's `%u002e`, and control characters that end paths in some servers. */
const NEVER_IN_PATH = /%c[01]|%u[\da-f]{4}|\p{Cc}/iu;

/** True if a server may read dots or slashes, even between blanks or in another script. */
function isLikeDotsOrSlash(segment: string): boolean {
	if (NEVER_IN_PATH.test(segment)) return true;
	const bytes = segment.replace(/(?:%[89a-f][\da-f])+/gi, (escapes) =>
		Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
	);
	const read = bytes.normalize('NFKC');
	return /[/\\]/.test(read) || /^[\s\p{Cf}\uFFFD]*\.[\s\p{Cf}\uFFFD.]*([;?#]|$)/u.test(read);
}

/**
 * True if servers may read the path differently: a slash, backslash or dot segment is encoded.
 *
 * @param isOwn true for this package's requests: a name may contain a slash (`team/shop`)
 */
export function isAmbiguousPath({ pathname }: URL, isOwn: boolean): boolean {
	const written = pathname.split('/').length;
	let path = pathname;
	for (let pass = 0; pass < MAX_PASSES; pass++) {
		const decoded = decodedOnce(path);
		const segments = decoded.split(/[/\\]/);
		if (segments.some((segment) => DOTS.test(segment))) return true;
		if (!isOwn && (segments.length !== written || segments.some(isLikeDotsOrSlash))) return true;
		if (decoded === path) return false;
		path = decoded;
	}
	return !isOwn;
}

const segmentsOf = ({ pathname }: URL) => pathname.replace(/\/$/, '').split('/');

export function isBelow(target: URL, base: URL): boolean {
	const segments = segmentsOf(target);
	return target.origin === base.origin && segmentsOf(base).every((segment, index) => segments[index] === segment);
}

/** Client certificates say nothing about which servers the client trusts. */
const CLIENT_PROOF = ['cert', 'key', 'passphrase'];

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== false && value !== '';

const OWN_CONNECTION = ['agent', 'agents', 'agentClass', 'httpAgent', 'httpsAgent', 'pool', 'socketPath', 'lookup'];

const OWN_TRUST = ['ca', 'pfx', 'checkServerIdentity', 'servername'];

type Options = Record<string, unknown>;

const isUnchecked = (options: Options): boolean =>
	options.rejectUnauthorized === false ||
	options.strictSSL === false ||
	isSet(options.insecure) ||
	isSet(options.skipSslCertificateValidation);

function hasOwnTrust(given: Options, agentOptions: Options): boolean {
	const names = Object.keys(agentOptions).filter((name) => isSet(agentOptions[name]));
	const known = [...CLIENT_PROOF, 'rejectUnauthorized'];
	return OWN_TRUST.some((name) => isSet(given[name])) || names.some((name) => !known.includes(name));
}

/** Labels the options by which the request's maker could read the key. */
export function optionsInTheWay(request: AnyRequest): string | undefined {
	const given = request as unknown as Options;
	const agentOptions = Object(given.agentOptions) as Options;
	const headers = Object.keys(Object(given.headers) as object).map((name) => name.trim().toLowerCase());
	const options: Array<[isGiven: boolean, label: string]> = [
		[isUnchecked(given) || isUnchecked(agentOptions), "'Ignore SSL Issues'"],
		[hasOwnTrust(given, agentOptions), "'SSL Certificates'"],
		[OWN_CONNECTION.some((name) => isSet(given[name])), 'a connection of its own'],
		[headers.includes('host'), "a 'Host' header"],
	];
	const found = options
		.filter(([isGiven]) => isGiven)
		.map(([, label]) => label)
		.join(' and ');
	if (!isSet(given.proxy)) return found || undefined;
	if (found) return `'Proxy' with ${found}`;
	return targetsOf(request).some((target) => target?.protocol === 'http:') ? "'Proxy' with an http:// URL" : undefined;
}
