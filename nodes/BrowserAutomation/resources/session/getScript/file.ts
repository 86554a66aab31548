import type { IDataObject, IExecuteSingleFunctions, IN8nHttpFullResponse, INodeExecutionData } from 'n8n-workflow';

import { sessionFile } from '../session-file';

/** Adds the Python script as a file if *Download Script* is on. */
export async function addScriptFile(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
	{ body }: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
	const { python_script: script } = Object(body) as IDataObject;
	if (this.getNodeParameter('addScriptFile', false) !== true || typeof script !== 'string') return items;
	const file = Buffer.from(script, 'utf8');
	const binary = await this.helpers.prepareBinaryData(file, sessionFile(this, 'py'), 'text/x-python');
	const field = String(this.getNodeParameter('scriptField', 'script'));
	return items.map((item) => ({ ...item, binary: { ...item.binary, [field]: binary } }));
}
