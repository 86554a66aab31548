// A response to explain, with the known data of its request.

import type { Problem } from '../failure';
import type { Labels } from './reason';

export interface ServiceResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	/** JSON as parsed by n8n, or text. */
	body: unknown;
	/** Why the body is not whole. */
	cut?: Problem;
	/** The credential's URL, with which a redirect's target is compared. */
	url?: string;
	/** The request's path below that URL. */
	path?: string;
	/** Hides only what a person typed, such as a cookie's value. */
	hideTyped?(text: string): string;
	/** What a success with another body should have contained. */
	expected?: string;
	urlLabel?: 'Automation URL' | 'Base URL';
	/** Replaces the status's advice. */
	advice?: string;
	labels?: Labels;
}
