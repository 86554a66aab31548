/**
 * Tests that behave differently on an old version of n8n, for reasons that the package cannot change. A test
 * that is named here must fail there, and no other may.
 */
export const known = [
	{
		n8n: '1.115.0',
		tests: / starts each item with continueErrorOutput$/,
		why: 'n8n drops the reason from the items at the error output of *Browser Automation*',
	},
	{
		n8n: '2.20.12',
		tests:
			/Allowed HTTP Request Domains in Browser Automation set to (domains "(elsewhere\.example)?"|none "") leaves the hosts/,
		why: 'n8n holds *Browser Automation* to *Allowed HTTP Request Domains* even for the hosts of the credential',
	},
];
