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

export async function withEgress<T>(change: Egress, action: () => Promise<T>): Promise<T> {
	const config = Object.assign(new SsrfProtectionConfig(), change);
	const service = new SsrfProtectionService(config, Container.get(DnsResolver), Container.get(Logger));
	const outbound = Container.get(OutboundHttp) as unknown as Record<string, unknown>;
	const { ssrfConfig, ssrfProtection } = outbound;
	Object.assign(outbound, { ssrfConfig: config, ssrfProtection: service });
	try {
		return await action();
	} finally {
		Object.assign(outbound, { ssrfConfig, ssrfProtection });
	}
}
