import type { Schema } from '@cfworker/json-schema';

import { rowsFormat, type RowsFormat } from '../../nodes/RunAutomation/columns/schema';

/** A row's format with these properties. */
export const formatOf = (properties: Record<string, Schema>, more: Schema = {}, isSingle = false): RowsFormat =>
	rowsFormat({ type: 'object', properties, ...more }, isSingle);

export const TEXT: Schema = { type: 'string' };
export const NUMBER: Schema = { type: 'number' };
export const LINK: Schema = { type: 'string', format: 'uri' };
