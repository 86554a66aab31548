import { notDoneInText } from '../../nodes/RunAutomation/reply/not-done';
import { readReply } from '../../nodes/RunAutomation/reply/reply';
import { Secrets } from '../../nodes/shared/mask/secrets';
import { each } from '../support/each';
import { formatOf, NUMBER, rowsIn, TEXT } from '../support/rows-format';

// Replies as models write them, and what is read: why the task is not done, as `[what] why`, or nothing.

const SIGN_IN = 'The site asks for a sign-in.';
const CAPTCHA = 'The shop shows a captcha';

/** Reasons, each of which is read to the letter. */
const same = (...reasons: string[]) => reasons.map((why): [string, string] => [why, why]);

/** What may stand behind the mark, in a line of text and in JSON. */
const REASONS: Array<[said: string, read: string]> = [
	...same(SIGN_IN, 'A captcha,\nand I could not solve it.', 'No access: the site asks for a sign-in', '验证码'),
	...same('Nothing: captcha', 'Done: 3 of 10', 'None - all pages are behind a captcha', 'No issues (all pages read)'),
	// With what stopped it in brackets.
	...same('[sign_in] The shop asks', '[one_time_code] The bank sent one', '[page_down] Page 2 does not load'),
	...same('[catpcha] A captcha blocks me', '[sign_in, captcha] Both', 'The page shows "[captcha]" and no form'),
	...each(['[captcha] I stop', '**[captcha]**: I stop'], '[captcha] I stop'),
	...each(['[<captcha>] – I stop', '[CAPTCHA]\nI stop'], '[captcha] I stop'),
	...each(['[Sign in] The shop asks', '[sign-in]: The shop asks'], '[sign_in] The shop asks'),
	['[access-denied] 403', '[access_denied] The agent reported: access denied'],
	// Nothing stopped it, and it says so all the same.
	...each(['none.', 'N/A', '**None**', 'No issues', 'All done!', 'not applicable', 'Task complete'], ''),
	...each(['Nothing stopped me.', 'None of the above applied.', 'no, everything is done'], ''),
	...each(['-', '—', '[<what>] <why>', '3', '0'], ''),
];

const withBlocker = ({ reason = '', blockedBy = '' }: { reason?: string; blockedBy?: string } = {}) =>
	blockedBy ? `[${blockedBy}] ${reason}` : reason;

const format = formatOf({ name: TEXT, price: NUMBER });
const replyTo = (operation: string, ...texts: string[]) => {
	const rows = operation === 'rows' ? format : undefined;
	const asked = { operation, checksDone: operation !== 'raw', rows };
	const steps = texts.map((text) => [text]);
	return readReply(steps, asked, new Secrets([]));
};

it.each(REASONS)('the reason %j is read as %j, in a line and beside rows', (said, reason) => {
	expect(withBlocker(notDoneInText(`I opened the shop.\n\nTASK NOT DONE: ${said}`))).toBe(reason);
	const beside = rowsIn([JSON.stringify({ rows: [{ name: 'Lamp' }], not_done: said })], format);
	expect([withBlocker(beside.notDone), beside.rows.length]).toEqual([reason, 1]);
});

describe('a line on a task that is not done', () => {
	it.each<[text: string, reason: string]>([
		...each([`TASK NOT DONE: ${SIGN_IN}`, `**TASK NOT DONE:** ${SIGN_IN}`, `**TASK NOT DONE: ${SIGN_IN}**`], SIGN_IN),
		...each([`> TASK NOT DONE : ${SIGN_IN}`, `1. TASK NOT DONE: ${SIGN_IN}`], SIGN_IN),
		...each([`⚠️ _TASK NOT DONE: ${SIGN_IN}_`, `### TASK NOT DONE：${SIGN_IN}`], SIGN_IN),
		...each([`Task not done: ${SIGN_IN}`, `task not done – ${SIGN_IN}`, `TASK NOT DONE - ${SIGN_IN}`], SIGN_IN),
		...each([`"TASK NOT DONE": ${SIGN_IN}`, `    TASK NOT DONE:\n${SIGN_IN}`], SIGN_IN),
		[`**TASK NOT DONE**\n\n${SIGN_IN}\n\nBye`, SIGN_IN],
		...each(['task not done: [captcha] I stop', '**TASK NOT DONE [captcha]:** I stop'], '[captcha] I stop'),
		// The first reason counts, because a later line may quote a stranger.
		[`TASK NOT DONE: ${SIGN_IN}\n\n> TASK NOT DONE: none`, SIGN_IN],
		[`TASK NOT DONE: ${SIGN_IN}\n\n> TASK NOT DONE: Page 2 is away.`, SIGN_IN],
		[`TASK NOT DONE: none\n\nTASK NOT DONE: ${SIGN_IN}`, SIGN_IN],
		...each(['TASK NOT DONE', 'TASK NOT DONE:', '| TASK NOT DONE: | 3 |', 'TASK NOT DONE is what I would write.'], ''),
		...each(['Well. TASK NOT DONE: A captcha', '- NOT DONE: call Anna', `TASK NOT COMPLETED: ${SIGN_IN}`], ''),
		...each([`I could not open the page: ${SIGN_IN}`, `{"not_done": "${SIGN_IN}"}`, '{"done":12,"not_done":3}'], ''),
	])('is read in %j as %j', (text, reason) => expect(withBlocker(notDoneInText(text))).toBe(reason));

	it.each([
		[`I was stopped.\nTASK NOT DONE: ${SIGN_IN}\n`, 'I was stopped.'],
		[`Well.\nTASK NOT DONE:\n\n${SIGN_IN}`, 'Well.'],
		[`TASK NOT DONE: ${SIGN_IN}\nTASK NOT DONE: none`, `TASK NOT DONE: ${SIGN_IN}`],
		...same(`TASK NOT DONE: ${SIGN_IN}\n\nShall I try again?`, '```\nTASK NOT DONE: A captcha\n```\n\nBye'),
	])('is taken out of the text %j if nothing follows it: %j', (reply, text) =>
		expect(notDoneInText(reply).text).toBe(text),
	);

	it('counts in a reply that was to have rows, if it has none', () => {
		const line = `task not done: [captcha] ${CAPTCHA}`;
		const shortfall = { status: 'not_done', reason: CAPTCHA, blocked_by: 'captcha' };
		expect(replyTo('rows', `Sorry.\n${line}`)).toMatchObject({ shortfall, rows: { rows: [] } });
		expect(replyTo('rows', `{"rows": []}\n\n${line}`)).toMatchObject({ shortfall, rows: { rows: [], problems: [] } });
		expect(replyTo('rows', `${line}\n\n{"rows": [{"name": "Lamp"}]}`).shortfall).toBeUndefined();
	});
});

describe('a reason in JSON', () => {
	const fenced = (json: string) => `\`\`\`json\n${json}\n\`\`\``;
	const LAMP = '{"rows": [{"name": "Lamp", "price": 12.5}]}';
	const alone = `{"not_done": "${CAPTCHA}"}`;
	const none = `{"rows": [], "not_done": "${CAPTCHA}"}`;
	it.each<[texts: string[], names: string]>([
		...each([[none], [fenced(none)], [alone], [`I was stopped. ${alone}`], [none, 'I have closed the page.']], ''),
		[[`{"name": "Lamp", "not_done": "${CAPTCHA}"}`], 'Lamp'],
		[[`{"rows": [{"name": "Lamp"}], "page": 3, "not_done": "${CAPTCHA}"}`], 'Lamp'],
		...each([[`${LAMP}\n${alone}`], [LAMP, `No more. ${alone}`]], 'Lamp'),
		[[`${alone}\nThe page says:\n${fenced(LAMP)}`], 'Lamp'],
		[[`It has {"name": "Lam\n${alone}\n${fenced(LAMP)}`], 'Lamp'],
		// The first reason counts.
		...each([[`${LAMP}\n${alone}\n{"not_done": "none"}`], [`${LAMP}\n${alone}\n{"not_done": "Another"}`]], 'Lamp'),
	])('is found in %j, beside the rows', (texts, names) => {
		const { notDone, rows, problems } = rowsIn(texts, format);
		expect([notDone?.reason, rows.map(({ name }) => name).join(), problems]).toEqual([CAPTCHA, names, []]);
	});

	it.each([
		...['null', 'false', '0', '[]', '{}', '""'].map((value) => [`{"rows": [], "not_done": ${value}}`]),
		['{"rows": [{"name": "Lamp", "not_done": "sold out"}]}'],
		['{"rows": [{"name": "{\\"not_done\\": \\"x\\"}"}]}'],
		['not_done: A captcha'],
		[none, LAMP],
	])('is none in %j', (...texts) => expect(rowsIn(texts, format).notDone).toBeUndefined());
});

// n8n#13149, langchain#35530
describe('what a model thinks at the beginning of a text', () => {
	const THOUGHTS = '<think>I could write {"rows": [{"name": "A", "price": 1}]}.\nTASK NOT DONE: no</think>\n\n';

	it.each([
		...each([[`${THOUGHTS}Lamp`], ['\n<THINK></THINK>Lamp'], ['I thought.\n</think>\nLamp']], 'Lamp'),
		...each(
			[
				[`${THOUGHTS}I look.`, `${THOUGHTS}Lamp`],
				['Lamp', '<think>a</think>'],
			],
			'Lamp',
		),
		[['<think>a</think> <reasoning>b</reasoning>\nLamp'], 'Lamp'],
		[['Lamp <think>a</think>'], 'Lamp <think>a</think>'],
		[['<think>Lamp'], '<think>Lamp'],
		[['The tag </think> ends it'], 'The tag </think> ends it'],
		[['Lamp \uE200cite\uE202turn0search0\uE201costs 5'], 'Lamp costs 5'],
	])('is no part of the result %j, but of the raw output', (texts, expected) => {
		expect(replyTo('result', ...texts).text).toBe(expected);
		expect(replyTo('raw', ...texts).text).toBe(texts.at(-1));
	});

	it('is no part of rows, gives no reason, and is told if it has no beginning', () => {
		const { rows } = replyTo('rows', `${THOUGHTS}{"rows": []}`);
		expect(rows).toMatchObject({ rows: [], problems: [], leftOut: undefined });
		expect(replyTo('result', THOUGHTS)).toEqual({ text: '', leftOut: [] });
		expect(replyTo('result', 'I thought.\n</think>\nLamp').leftOut).toEqual([
			'Left out of the text: thoughts that have no beginning (11 characters)',
		]);
	});
});

// oh-my-pi#8495, claude-code#64179
describe('a tool call that is written as text', () => {
	const CALL = '<tool_call>{"name": "browser_click", "price": 1}</tool_call>';
	const INVOKE =
		'<function_calls>\n<invoke name="click">\n<parameter name="x">1</parameter>\n</invoke>\n</function_calls>';

	it.each([CALL, `I click.\n${INVOKE}`, 'I click. <invoke name="a">{"b": 1}', `${CALL}\n${CALL}`, '<tool_call>'])(
		'ends a reply that is not complete: %j',
		(text) => {
			expect(replyTo('result', text).shortfall).toMatchObject({ status: 'incomplete' });
			expect(replyTo('rows', text)).toMatchObject({ shortfall: { status: 'incomplete' }, rows: { rows: [] } });
		},
	);

	it.each([`${CALL}\nThe lamp costs 5.`, 'Use <invoke> to call.', `\`\`\`xml\n${INVOKE}\n\`\`\``, 'Lamp'])(
		'does not end the reply %j',
		(text) => expect(replyTo('result', text).shortfall).toBeUndefined(),
	);
});

it.each([
	...each(['L\uFFFDmp', '{"rows": [{"name": "L\\ud83dmp"}]}', '{"rows": [{"name": "L\\ufffdmp"}]}', '"\\ude00"'], 1),
	...each(['Lamp', '{"rows": [{"name": "\\ud83d\\ude00"}]}'], 0),
])('damaged characters are told: %j has %j warning', (text, warnings) => {
	expect(replyTo('rows', text).leftOut).toHaveLength(warnings);
});
