import type { INodeProperties } from 'n8n-workflow';

/** The parts of a field's description that reading its value needs: label, default, limits and choices. */
export type Field = Pick<INodeProperties, 'displayName' | 'default' | 'options' | 'typeOptions'> & {
	/** The label of the group that contains the field, if any. */
	group?: string;
};
