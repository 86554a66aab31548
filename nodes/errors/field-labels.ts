/** What the form calls the fields that the service knows by other names. */
export const FIELD_LABELS: Record<string, string> = {
	allowed_origin: 'Allowed Origin',
	as_workflow: 'Runnable Script',
	cookies: 'Cookies',
	depth: 'Depth',
	error_redirect_uri: 'Error Redirect URI',
	infer_response_format: 'Infer Response Format',
	mailbox_id: 'Mailbox ID',
	mode: 'Mode',
	model: 'Model',
	name: 'Name',
	namespace: 'Stored In',
	outputType: 'Output Type',
	profile_id: 'Profile ID',
	provider: 'Provider',
	q: 'Query',
	query: 'Task',
	reasoningEffort: 'Reasoning Effort',
	secret_id: 'Secret ID',
	session_id: 'Session ID',
	source_format: 'Source Format',
	success_redirect_uri: 'Success Redirect URI',
	thread_id: 'Thread ID',
	version: 'Version',
};

/** The beginnings of validation messages, and what the form's label is followed by instead. */
const PLAIN: Array<[RegExp, string]> = [
	[/^Field required$/, 'is missing'],
	[/^Input should be a valid string\b.*/, 'must be text'],
	[/^Input should be a valid boolean\b.*/, 'must be true or false'],
	[/^Input should be a valid (?:number|integer)\b.*/, 'must be a number'],
	[/^Input should be a valid list\b.*/, 'must be a list'],
	[/^Input should be (?=')/, 'must be '],
];

/**
 * A validation error in the words of the form, such as "Depth must be text".
 *
 * @param location where the service found the problem, such as `['body', 'depth']`
 * @returns undefined if the problem is not in a single field of the form
 */
export function labelled(location: unknown[], message: string): string | undefined {
	const [place, name] = location;
	if (location.length !== 2 || !['body', 'path', 'query'].includes(String(place))) return undefined;
	if (!Object.hasOwn(FIELD_LABELS, String(name))) return undefined;
	const label = FIELD_LABELS[String(name)];
	const plain = PLAIN.find(([pattern]) => pattern.test(message));
	return plain ? `${label} ${message.replace(...plain)}` : `${label}: ${message}`;
}
