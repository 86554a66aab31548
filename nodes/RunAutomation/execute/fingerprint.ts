// Identifies a request of Run Automation for *Retry execution*.

import type { INode, INodeParameters } from 'n8n-workflow';

import { changedValues, fingerprintOf } from '../../shared/items/fingerprint';
import { fields } from '../form/fields';
import { limitFields, options } from '../form/options';

/** These options change only what is returned, or when. */
const NOT_REQUESTED = ['ifIncomplete', 'ifRowsInvalid', 'live', ...limitFields.map(({ name }) => name)];

export function requestFingerprint({ parameters }: INode, automationUrl: string, files: unknown[]): string {
	const form = fields.filter(({ type }) => type !== 'notice' && type !== 'collection');
	const requested = options.filter(({ name }) => !NOT_REQUESTED.includes(name));
	return fingerprintOf(
		changedValues(form, parameters),
		changedValues(requested, Object(parameters.options) as INodeParameters),
		automationUrl,
		files,
	);
}
