// The labels of limits, for the form, which n8n loads at its start, and for messages.

import { OPTIONS, quoted } from '../values/text';

export const LIMIT_LABELS = { idle: 'Idle Timeout (s)', total: 'Run Timeout (s)' };

const inForm = (label: string) => quoted(label, OPTIONS);

export const QUOTED_LIMITS = {
	idle: inForm(LIMIT_LABELS.idle),
	total: inForm(LIMIT_LABELS.total),
};
