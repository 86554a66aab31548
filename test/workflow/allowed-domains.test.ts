import { BROWSER_AUTOMATION, RUN_AUTOMATION, runNode } from '../engine/run-node';
import { useService } from '../support/use-service';

const service = useService();

// n8n offers the setting for its HTTP Request node. In nodes that a credential belongs to it adds the host that the
// credential itself names, so that a list which was made for the other node does not stop these.
describe.each([
	['Browser Automation', BROWSER_AUTOMATION, { resource: 'web', operation: 'search', searchQuery: 'lamps' }],
	['Run Automation', RUN_AUTOMATION, { operation: 'result', query: 'quick task' }],
])("n8n's Allowed HTTP Request Domains in %s", (_name, type, parameters) => {
	it.each([
		['domains', 'elsewhere.example'],
		['domains', '127.0.0.1'],
		['domains', ''],
		['none', ''],
		['all', ''],
	])('set to %s "%s" leaves the hosts of the credential usable', async (allowedHttpRequestDomains, allowedDomains) => {
		const credentials = { allowedHttpRequestDomains, allowedDomains };
		const { items, error } = await runNode(type, service, parameters, { credentials });
		expect(error).toBeUndefined();
		expect(items).not.toEqual([]);
	});
});
