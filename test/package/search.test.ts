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

it.each([
	['Run Automation', 'web scraping'],
	['Run Automation', 'extract data'],
	['Run Automation', 'extract data from website'],
	['Run Automation', 'browse website'],
	['Run Automation', 'form filling'],
	['Run Automation', 'login to website'],
	['Run Automation', 'ai browser'],
	['Run Automation', 'click button'],
	['Run Automation', 'login'],
	['Run Automation', 'web scraper'],
	['Run Automation', 'scrape website'],
	['Run Automation', 'automate website'],
	['Run Automation', 'puppeteer'],
	['Run Automation', 'fill out a form'],
	['Run Automation', 'web browser'],
	['Run Automation', 'get data from website'],
	['Run Automation', 'scrape table'],
	['Run Automation', 'check website'],
	['Run Automation', 'download file'],
	['Run Automation', 'extract table'],
	['Run Automation', 'data extraction'],
	['Run Automation', 'web research'],
	['Browser Automation', 'browser automation'],
	['Browser Automation', 'set cookies'],
	['Browser Automation', 'search the web'],
	['Browser Automation', 'search internet'],
])('finds %s first for "%s" in the list of nodes', (node, text) => {
	expect(sublimeSearch(text, NODES)[0]?.item.properties.displayName).toBe(node);
});
