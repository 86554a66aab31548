/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

import { credentialTypes, nodeTypes } from '../support/registered';

interface Finding {
	ruleId: string;
	message: string;
	fix?: { text: string };
}

const root = path.resolve(__dirname, '../..');

/** What n8n's lint finds in a form, written as a literal: in the sources, it sees no field that a function makes. */
function findingsIn(properties: object[]): Finding[] {
	const literal = JSON.stringify(properties, null, '\t').replace(/^(\t+)"(\w+)":/gm, '$1$2:');
	const input = `import type { INodeProperties } from 'n8n-workflow';\nexport const properties: INodeProperties[] = ${literal};\n`;
	const options = ['--stdin', '--stdin-filename', 'nodes/Form.ts', '--format', 'json'];
	const command = [path.join(root, 'node_modules/eslint/bin/eslint.js'), ...options];
	const { stdout } = spawnSync(process.execPath, command, { cwd: root, input, encoding: 'utf8' });
	return (JSON.parse(stdout) as Array<{ messages: Finding[] }>).flatMap(({ messages }) => messages);
}

it("n8n's lint finds nothing in the forms as n8n loads them", () => {
	const forms = [...nodeTypes.map(({ description }) => description), ...credentialTypes];
	const properties = forms.flatMap((form) => form.properties);
	// The lint has to find this one among the others: else it has looked at none of them.
	const broken = { displayName: 'On', name: 'on', type: 'boolean', default: false, description: 'Turns it on' };
	// The fields of a cookie stand in the order in which they are needed. The lint takes the symbol of seconds for a word.
	const found = findingsIn([...properties, broken]).filter(
		({ message, fix }) => !message.includes('Order: Domain |') && !fix?.text.endsWith(" (S)'"),
	);
	expect(found).toMatchObject([{ ruleId: expect.stringContaining('without-whether') }]);
});
