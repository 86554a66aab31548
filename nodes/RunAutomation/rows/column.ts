export const COLUMN_TYPES = ['text', 'number', 'boolean', 'date', 'list', 'object'] as const;

export type ColumnType = (typeof COLUMN_TYPES)[number];

/** A column that each row must have. */
export interface Column {
	name: string;
	type: ColumnType;
	/** What the agent is told about it; may be empty. */
	description: string;
	/** Whether null is a problem. */
	isRequired: boolean;
}

/** What the rows of a run must look like. */
export interface RowsFormat {
	columns: Column[];
	/** Whether there must be exactly one row. */
	isSingle: boolean;
}
