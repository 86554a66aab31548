/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { createRequire } from 'node:module';

import browserAutomation from '../../nodes/BrowserAutomation/BrowserAutomation.node.json';
import runAutomation from '../../nodes/RunAutomation/RunAutomation.node.json';

interface Found {
	item: { properties: { displayName: string } };
}

/** The search of n8n's list of nodes: the whole text is a subsequence of one name or alias. It came with one of the packages here. */
const { sublimeSearch } = createRequire(require.resolve('@n8n/workflow-sdk'))('@n8n/utils/search/sublime-search') as {
	sublimeSearch: (text: string, nodes: unknown[]) => Found[];
};

const NODES = [
	{ properties: { displayName: 'Browser Automation', codex: browserAutomation } },
	{ properties: { displayName: 'Run Automation', codex: runAutomation } },
];

const RUN = [
	...['web scraping', 'extract data', 'extract data from website', 'browse website', 'form filling', 'login'],
	...['rows', 'extract', 'research', 'enrich', 'computer use'],
	...['login to website', 'ai browser', 'click button', 'web scraper', 'scrape website', 'automate website'],
	...['puppeteer', 'fill out a form', 'web browser', 'get data from website', 'scrape table', 'check website'],
	...['download file', 'extract table', 'data extraction', 'web research'],
	...['start in background', 'background', 'start run', 'thread', 'continue thread', 'raw output', 'browser use'],
];
const BROWSER = [
	...['browser automation', 'set cookies', 'search the web', 'search internet', 'delete secret', 'get secret'],
	...['connect wallet', 'connect mailbox', 'email inbox', 'import cookies', 'get recording', 'session video'],
	...['replay video', 'session script'],
];

it.each([...RUN.map((text) => ['Run Automation', text]), ...BROWSER.map((text) => ['Browser Automation', text])])(
	'finds %s first for "%s" in the list of nodes',
	(node, text) => {
		expect(sublimeSearch(text, NODES)[0]?.item.properties.displayName).toBe(node);
	},
);
