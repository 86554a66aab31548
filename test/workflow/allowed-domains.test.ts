import { operate } from '../engine/run-node';
import { useService } from '../support/use-service';

const service = useService();

// A token is requested by the credential itself, and there n8n adds no host.
it.each([
	['elsewhere.example', 'Domain not allowed: This credential is restricted from accessing 127.0.0.1'],
	['', 'No allowed domains specified'],
	['127.0.0.1', undefined],
])("a token that n8n does not request because of '%s' has n8n's reason", async (allowedDomains, reason) => {
	const credentials = { allowedHttpRequestDomains: 'domains', allowedDomains };
	const search = { resource: 'web', operation: 'search', searchQuery: 'lamps' };
	const { error } = await operate(service, { authentication: 'oAuth2Password', ...search }, { credentials });
	const description = "Check 'Base URL' and 'Allowed HTTP Request Domains' in the credential";
	if (reason) expect(error).toMatchObject({ message: expect.stringMatching(`^${reason}`), description });
	else expect(error).toBeUndefined();
});
