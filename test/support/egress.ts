// n8n-core's own copies, in which it has put its services.
const ofCore = <T extends object>(name: string): T =>
	jest.requireActual<T>(require.resolve(name, { paths: [require.resolve('n8n-core')] }));
const { Container } = ofCore<typeof import('@n8n/di')>('@n8n/di');
const { SsrfProtectionConfig } = ofCore<typeof import('@n8n/config')>('@n8n/config');
const { Logger } = ofCore<typeof import('@n8n/backend-common')>('@n8n/backend-common');
const { DnsResolver, OutboundHttp, SsrfProtectionService } =
	ofCore<typeof import('@n8n/backend-network')>('@n8n/backend-network');

/** Settings of n8n's own filter, as `N8N_SSRF_PROTECTION_ENABLED`, `N8N_SSRF_ALLOWED_IP_RANGES` and the like set them. */
export type Egress = Partial<InstanceType<typeof SsrfProtectionConfig>>;

/** What n8n finds in DNS. */
export type Names = Record<string, string[]>;

const resolverOf = (names: Names) => ({
	lookup: async (hostname: string) =>
		await Promise.resolve(
			(names[hostname] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
		),
});

/** Runs with n8n's filter set up like this, and with these names in DNS. */
export async function withEgress<T>(change: Egress, action: () => Promise<T>, names?: Names): Promise<T> {
	const config = Object.assign(new SsrfProtectionConfig(), change);
	const resolver = names ? resolverOf(names) : Container.get(DnsResolver);
	const service = new SsrfProtectionService(config, resolver as never, Container.get(Logger));
	const outbound = Container.get(OutboundHttp) as unknown as Record<string, unknown>;
	const { ssrfConfig, ssrfProtection } = outbound;
	Object.assign(outbound, { ssrfConfig: config, ssrfProtection: service });
	try {
		return await action();
	} finally {
		Object.assign(outbound, { ssrfConfig, ssrfProtection });
	}
}

/** As the helper of n8n's nodes. */
export const egressFilter = (policy?: 'enforced'): unknown =>
	(Container.get(OutboundHttp) as unknown as { egressFilter(policy?: string): unknown }).egressFilter(policy);
