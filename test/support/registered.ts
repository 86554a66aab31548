import type { ICredentialType, INodeType } from 'n8n-workflow';

import { BrowserAutomationApi } from '../../credentials/BrowserAutomationApi.credentials';
import { BrowserAutomationPasswordOAuth2Api } from '../../credentials/BrowserAutomationPasswordOAuth2Api.credentials';
import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node.ts';
import { RunAutomation } from '../../nodes/RunAutomation/RunAutomation.node.ts';

// The only list of classes for the tests: one of them compares it with package.json (test/unit/credential.test.ts).

export const credentialTypes: ICredentialType[] = [
	new BrowserAutomationApi(),
	new BrowserAutomationPasswordOAuth2Api(),
];

export const nodeTypes: INodeType[] = [new BrowserAutomation(), new RunAutomation()];
