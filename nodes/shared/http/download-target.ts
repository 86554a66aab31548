// Decides where a download may lead: a page may make the agent name a URL that only n8n can reach.

import type { IExecuteFunctions } from 'n8n-workflow';

import { networkOf, parseUrl } from '../values/url';

/** Older versions of n8n lack the filter. */
export type TargetHelpers = Partial<Pick<IExecuteFunctions['helpers'], 'getSecureEgressFilter'>>;

/**
 * n8n's filter reads every notation, DNS, and the n8n owner's lists of allowed and blocked addresses. A name that only the proxy can
 * resolve has no verdict.
 */
async function verdictOf(
	{ getSecureEgressFilter }: TargetHelpers,
	url: string,
): Promise<'allowed' | 'blocked' | undefined> {
	const result = await getSecureEgressFilter?.('enforced')
		.validateUrl(url)
		.catch(() => undefined);
	if (!result || result.ok) return result && 'allowed';
	return (result.error as { syscall?: string }).syscall === 'getaddrinfo' ? undefined : 'blocked';
}

/** @param credentialUrls the credential's: their origins are allowed, because services may be in one's own network */
export async function isForbidden(
	helpers: TargetHelpers,
	{ href, origin }: URL,
	credentialUrls: string[],
): Promise<boolean> {
	if (credentialUrls.some((own) => parseUrl(own)?.origin === origin)) return false;
	const verdict = await verdictOf(helpers, href);
	return verdict === undefined ? networkOf(href) !== 'elsewhere' : verdict === 'blocked';
}
