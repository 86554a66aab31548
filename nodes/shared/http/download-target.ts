// Decides where a download may lead: a page may make the agent name a URL that only n8n can reach.

import type { IExecuteFunctions } from 'n8n-workflow';

import { networkOf, parseUrl } from '../values/url';

/** Older versions of n8n lack the filter. */
export type TargetHelpers = Partial<Pick<IExecuteFunctions['helpers'], 'getSecureEgressFilter'>>;

interface Filters {
	/** It reads every notation, DNS, and the n8n owner's lists of allowed and blocked addresses. */
	enforced: ReturnType<IExecuteFunctions['helpers']['getSecureEgressFilter']>;
	/** n8n's client then checks every request itself. */
	isProtectionOn: boolean;
}

function filtersOf({ getSecureEgressFilter }: TargetHelpers): Filters | undefined {
	const enforced = getSecureEgressFilter?.('enforced');
	return enforced && { enforced, isProtectionOn: enforced === getSecureEgressFilter?.() };
}

/** A name that only the proxy can resolve has no verdict. */
async function verdictOf({ enforced }: Filters, url: string): Promise<'allowed' | 'blocked' | undefined> {
	try {
		const result = await enforced.validateUrl(url);
		if (result.ok) return 'allowed';
		return (result.error as { syscall?: string }).syscall === 'getaddrinfo' ? undefined : 'blocked';
	} catch {
		return undefined;
	}
}

/** n8n's filter blocks these addresses unless its owner allows them. */
const KNOWN_TO_FILTER =
	/^((0|10|127|169\.254|172|192\.0\.0|192\.168|198\.1[89])\.[\d.]+|\[(::1|f[cd].+|fe[89ab].+)\])$/;

const isAddress = (hostname: string): boolean => /^(\[|\d+(\.\d+){3}$)/.test(hostname);

/** n8n's filter reads an IPv4 address in IPv6 form as the same one. */
const unmapped = (hostname: string): string =>
	hostname.replace(/^\[::ffff:([\da-f]+):([\da-f]+)\]$/, (_address, high: string, low: string) =>
		[high, low].flatMap((part) => [parseInt(part, 16) >> 8, parseInt(part, 16) & 255]).join('.'),
	);

/** True for a network that is not public, but never blocked by n8n's filter (`::`, 100.64.0.0/10). */
function isUnknownToFilter(address: string): boolean {
	const url = parseUrl(`http://${address.includes(':') && !address.startsWith('[') ? `[${address}]` : address}/`);
	return !url || (networkOf(url.href) !== 'elsewhere' && !KNOWN_TO_FILTER.test(unmapped(url.hostname)));
}

/** Resolves as n8n's filter does. A name that is blocked or unknown has no address. */
async function addressesOf({ enforced }: Filters, hostname: string): Promise<string[]> {
	return await new Promise((resolve) => {
		enforced.createSecureLookup()(hostname, { all: true }, (error, found) =>
			resolve(error ? [] : [found].flat().map((one) => (typeof one === 'string' ? one : one.address))),
		);
	});
}

/** @param credentialUrls the credential's: their origins are allowed, because services may be in one's own network */
export async function isForbidden(
	helpers: TargetHelpers,
	{ href, hostname, origin }: URL,
	credentialUrls: string[],
): Promise<boolean> {
	if (credentialUrls.some((own) => parseUrl(own)?.origin === origin)) return false;
	const filters = filtersOf(helpers);
	const verdict = filters && (filters.isProtectionOn ? 'allowed' : await verdictOf(filters, href));
	if (!filters || verdict === undefined) return networkOf(href) !== 'elsewhere';
	if (verdict === 'blocked') return true;
	const addresses = isAddress(hostname) ? [hostname] : await addressesOf(filters, hostname);
	return addresses.some(isUnknownToFilter);
}
