// Decides where a download may lead: a page that steers the agent may name any URL, also one that only n8n can reach.

import type { IExecuteFunctions } from 'n8n-workflow';

import { networkOf, parseUrl } from '../values/url';

/** Versions of n8n differ in whether they have the filter. */
export type TargetHelpers = Partial<Pick<IExecuteFunctions['helpers'], 'getSecureEgressFilter'>>;

interface Filters {
	/** Knows every notation and DNS, and the lists of addresses and names that the owner of n8n allows or blocks. */
	enforced: ReturnType<IExecuteFunctions['helpers']['getSecureEgressFilter']>;
	/** n8n's client then checks every request by itself. */
	isProtectionOn: boolean;
}

function filtersOf({ getSecureEgressFilter }: TargetHelpers): Filters | undefined {
	const enforced = getSecureEgressFilter?.('enforced');
	return enforced && { enforced, isProtectionOn: enforced === getSecureEgressFilter?.() };
}

/** A name that n8n cannot resolve, because a proxy resolves it for n8n, has no verdict. */
async function verdictOf({ enforced }: Filters, url: string): Promise<'allowed' | 'blocked' | undefined> {
	try {
		const result = await enforced.validateUrl(url);
		if (result.ok) return 'allowed';
		return (result.error as { syscall?: string }).syscall === 'getaddrinfo' ? undefined : 'blocked';
	} catch {
		return undefined;
	}
}

/** Addresses that n8n's filter blocks unless its owner allows them. */
const KNOWN_TO_FILTER =
	/^((0|10|127|169\.254|172|192\.0\.0|192\.168|198\.1[89])\.[\d.]+|\[(::1|f[cd].+|fe[89ab].+)\])$/;

const isAddress = (hostname: string): boolean => /^(\[|\d+(\.\d+){3}$)/.test(hostname);

/** An IPv4 address in the form of an IPv6 address is the same to n8n's filter. */
const unmapped = (hostname: string): string =>
	hostname.replace(/^\[::ffff:([\da-f]+):([\da-f]+)\]$/, (_address, high: string, low: string) =>
		[high, low].flatMap((part) => [parseInt(part, 16) >> 8, parseInt(part, 16) & 255]).join('.'),
	);

/** Whether an address is in a network that is not public, but that n8n's filter never blocks, such as `::` or 100.64.0.0/10. */
function isUnknownToFilter(address: string): boolean {
	const url = parseUrl(`http://${address.includes(':') && !address.startsWith('[') ? `[${address}]` : address}/`);
	return !url || (networkOf(url.href) !== 'elsewhere' && !KNOWN_TO_FILTER.test(unmapped(url.hostname)));
}

/** The addresses of a name, as n8n's filter reads them; none if it blocks the name, or cannot resolve it. */
async function addressesOf({ enforced }: Filters, hostname: string): Promise<string[]> {
	return await new Promise((resolve) => {
		enforced.createSecureLookup()(hostname, { all: true }, (error, found) =>
			resolve(error ? [] : [found].flat().map((one) => (typeof one === 'string' ? one : one.address))),
		);
	});
}

/**
 * Whether a URL leads to this machine or its network. The origins of the credential are allowed: the service may be on one's own network.
 *
 * @param ownUrls of the credential
 */
export async function isForbidden(
	helpers: TargetHelpers,
	{ href, hostname, origin }: URL,
	ownUrls: string[],
): Promise<boolean> {
	if (ownUrls.some((own) => parseUrl(own)?.origin === origin)) return false;
	const filters = filtersOf(helpers);
	const verdict = filters && (filters.isProtectionOn ? 'allowed' : await verdictOf(filters, href));
	if (!filters || verdict === undefined) return networkOf(href) !== 'elsewhere';
	if (verdict === 'blocked') return true;
	const addresses = isAddress(hostname) ? [hostname] : await addressesOf(filters, hostname);
	return addresses.some(isUnknownToFilter);
}
