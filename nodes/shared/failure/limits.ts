// The labels of limits, for the form and for messages.

import { quoted } from '../values/text';

export const LIMITS_GROUP = 'Limits';

export const LIMIT_LABELS = { idle: 'Idle Timeout (s)', size: 'Max Response (MB)', total: 'Run Timeout (s)' };

const inForm = (label: string) => quoted(label, LIMITS_GROUP);

export const QUOTED_LIMITS = {
	idle: inForm(LIMIT_LABELS.idle),
	size: inForm(LIMIT_LABELS.size),
	total: inForm(LIMIT_LABELS.total),
};
