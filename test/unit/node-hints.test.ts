/* eslint-disable @n8n/community-nodes/no-dangerous-functions -- test code, never shipped */
import type { INodeParameters } from 'n8n-workflow';

import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';

const { hints = [] } = new BrowserAutomation().description;

/** The hints that n8n shows for a form, in which every expression has its value. */
const shownFor = (form: INodeParameters) =>
	hints
		.filter(({ displayCondition }) => {
			const condition = displayCondition!.slice('={{'.length, -'}}'.length);
			return new Function('$parameter', `return ${condition}`)(form) as boolean;
		})
		.map(({ message }) => message);

const state = (localStorage: INodeParameters[]) => ({ origins: [{ origin: 'https://a.example', localStorage }] });
const full = state([{ name: 'token', value: 'x' }]);
const cookies = { resource: 'profile', operation: 'setCookies', cookiesFrom: 'json' };
const wallet = { resource: 'payment', operation: 'connectWallet' };
const NO_LOCAL_STORAGE = [expect.stringContaining('does not accept localStorage')];

it.each<[string, INodeParameters, unknown[]]>([
	['of a storage state that is pasted', { ...cookies, cookiesJson: JSON.stringify(full, null, 2) }, NO_LOCAL_STORAGE],
	['of one in one line', { ...cookies, cookiesJson: JSON.stringify(full) }, NO_LOCAL_STORAGE],
	['of one from an expression', { ...cookies, cookiesJson: full }, NO_LOCAL_STORAGE],
	['of a text without localStorage', { ...cookies, cookiesJson: JSON.stringify(state([])) }, []],
	['of an object without localStorage', { ...cookies, cookiesJson: state([]) }, []],
	['of a choice that was left', { ...cookies, cookiesFrom: 'fields', cookiesJson: full }, []],
	['of no cookies', cookies, []],
	['of a wallet in test mode', { ...wallet, mode: 'test' }, [expect.stringMatching(/^Test mode/)]],
	['of a wallet in live mode', { ...wallet, mode: 'live' }, []],
])('the form %s has its hints', (_name, form, expected) => expect(shownFor(form)).toEqual(expected));
