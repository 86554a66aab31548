// Both credentials share this: URL fields, and the connection test.

import type { ICredentialTestRequest, INodeProperties } from 'n8n-workflow';

import { URL_LABELS, type UrlField } from '../nodes/shared/http/credential';
import { switchField, textField } from '../nodes/shared/form/fields';
import { quoted } from '../nodes/shared/values/text';
import { REDIRECTS } from '../nodes/shared/values/url';

export const connectionFields = (
	baseUrlHint: string,
	automationUrl: Pick<INodeProperties, 'hint' | 'required'>,
	secret: string,
): INodeProperties[] => [
	textField('Base URL', 'baseUrl', {
		required: true,
		placeholder: 'e.g. https://api.example.com',
		hint: baseUrlHint,
	}),
	textField('Automation URL', 'automationUrl', {
		placeholder: 'e.g. https://automation.example.com',
		...automationUrl,
	}),
	switchField('Allow Unencrypted Connections', 'allowUnencrypted', {
		description: 'Whether to allow http:// URLs other than localhost',
		hint: `Over http://, others on the network can read ${secret}. Turn this on only in a network that you trust.`,
	}),
];

export const CHECK_URLS = 'Check the URL. The two URLs may be swapped';

/** n8n's rules each name one status. */
const SUCCESSES = [200, 201, 202, 203, 204, 205, 206, 207, 208, 226];
const FINAL_STATUSES = Array.from({ length: 400 }, (_, index) => 200 + index);

interface RejectedRequest {
	url: string;
	body: object;
	/** Only the contract's status with the service's body proves the key. */
	proof: { status: number; field: string };
	/** What the statuses 401, 403 and 404 mean. */
	rejected: string;
	forbidden: string;
	missing: string;
}

/** The test's request is always rejected. Any response but the proof shows the first matching rule's message. */
export function connectionTest(urlField: UrlField, test: RejectedRequest): ICredentialTestRequest {
	const { url, body, proof } = test;
	const request = {
		baseURL: `={{$credentials.${urlField}}}`,
		url,
		method: 'POST' as const,
		body,
		credentialUse: { urlField, isTest: true },
		// n8n makes an error of every status in this list, even of a success.
		ignoreHttpStatusErrors: {
			ignore: true as const,
			except: FINAL_STATUSES.filter((status) => status !== proof.status),
		},
	};
	const label = quoted(URL_LABELS[urlField]);
	const unexpected = `Unexpected response from this ${label}. ${CHECK_URLS}`;
	const inFront = 'A proxy or a sign-in page may be in front of it';
	const redirected = `This ${label} redirects to another URL. ${inFront}. ${CHECK_URLS}`;
	const rules: Array<[statuses: number[], message: string]> = [
		[[401], test.rejected],
		[[403], test.forbidden],
		[[404], test.missing],
		[[407], "n8n's proxy requires a user name and a password. Check them in its URL (HTTPS_PROXY)"],
		[REDIRECTS, redirected],
		[[...SUCCESSES, 400, 422].filter((status) => status !== proof.status), unexpected],
	];
	const ofStatuses = rules.flatMap(([statuses, message]) =>
		statuses.map((value) => ({ type: 'responseCode', properties: { value, message } })),
	);
	const properties = { key: proof.field, value: undefined, message: unexpected };
	const rulesOfTest = [...ofStatuses, { type: 'responseSuccessBody', properties }];
	return { request, rules: rulesOfTest as ICredentialTestRequest['rules'] };
}
