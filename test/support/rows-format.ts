import type { Schema } from '@cfworker/json-schema';

import { rowsFormat, type RowsFormat } from '../../nodes/RunAutomation/columns/schema';
import { readRows } from '../../nodes/RunAutomation/reply/read-rows';
import { Secrets } from '../../nodes/shared/mask/secrets';

export const formatOf = (properties: Record<string, Schema>, more: Schema = {}, isSingle = false): RowsFormat =>
	rowsFormat({ type: 'object', properties, ...more }, isSingle, "'Columns'");

/** Reads rows without secrets. */
export const rowsIn = (texts: string[], format: RowsFormat) => readRows(texts, format, new Secrets([]));

export const TEXT: Schema = { type: 'string' };
export const NUMBER: Schema = { type: 'number' };
export const LINK: Schema = { type: 'string', format: 'uri' };
