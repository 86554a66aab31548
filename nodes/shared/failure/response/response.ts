// A response that is not what a request wanted, with what is known of the request: its reason and advice are made of them.

import type { Labels } from './reason';

export interface ServiceResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	/** As parsed by n8n, or as text. */
	body: unknown;
	/** The credential's URL, to compare the target of a redirect. */
	url?: string;
	/** The path of the request, below that URL. */
	path?: string;
	/** The body of the request, to leave out what repeats it. */
	sent?: unknown;
	/** Masks values of the request that are secret, before repetitions are removed: a rest of one would not be recognized. */
	mask?(text: string): string;
	/** If the status is a success but the body is not. */
	expected?: string;
	urlLabel?: 'Automation URL' | 'Base URL';
	/** Better advice than that of the status. */
	advice?: string;
	labels?: Labels;
}
