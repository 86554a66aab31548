import { operate, runAutomation } from '../engine/run-node';
import { useService } from '../support/use-service';

const service = useService();

// n8n offers the setting for its HTTP Request node. In nodes that a credential belongs to it adds the host that the
// credential itself names, so that a list which was made for the other node does not stop these.
it.each([
	['domains', 'elsewhere.example'],
	['domains', '127.0.0.1'],
	['domains', ''],
	['none', ''],
	['all', ''],
])("n8n's Allowed HTTP Request Domains: %s '%s' leave the hosts of the credential usable", async (setting, domains) => {
	const credentials = { allowedHttpRequestDomains: setting, allowedDomains: domains };
	const search = { resource: 'web', operation: 'search', searchQuery: 'lamps' };
	expect((await runAutomation(service, { query: 'quick task' }, { credentials })).items).not.toEqual([]);
	// The one that an older n8n refuses.
	expect((await operate(service, search, { credentials })).items).not.toEqual([]);
});
