// Identifies a request of Run Automation for *Retry execution*.

import type { INode } from 'n8n-workflow';

import { changedValues, fingerprintOf } from '../../shared/items/fingerprint';
import { fields } from '../form/fields';
import { limits, optionFields, withoutGroups } from '../form/options';

/** Like *Limits*, these options change only what is returned. */
const NOT_REQUESTED = ['ifIncomplete', 'ifRowsInvalid', 'live'];

export function requestFingerprint({ parameters }: INode, automationUrl: string, files: unknown[]): string {
	const form = fields.filter(({ type }) => type !== 'notice' && type !== 'collection');
	const options = optionFields.filter(
		({ name, group }) => group !== limits.displayName && !NOT_REQUESTED.includes(name),
	);
	return fingerprintOf(
		changedValues(form, parameters),
		changedValues(options, withoutGroups(parameters.options)),
		automationUrl,
		files,
	);
}
