import { formatOf, NUMBER, TEXT } from '../support/rows-format';
import fc from 'fast-check';

import { BLOCKERS, notDoneInText } from '../../nodes/RunAutomation/reply/not-done';
import { readRows } from '../../nodes/RunAutomation/reply/read-rows';
import { Secrets } from '../../nodes/shared/mask/secrets';
import { readReply } from '../../nodes/RunAutomation/reply/reply';
import { each } from '../support/each';
import { fuzz } from './fuzz';

// Replies as models write them, what they mean to a person, and what the node reads instead, if anything: it misses some reasons.

/** A reply to a task with a text as its result; why it is not done, as `[what] why`, or nothing. */
type ResultReply = [reply: string, person: string, node?: string];

const SIGN_IN = 'The site asks for a sign-in.';
/** Lines with a reason each, which is read to the letter. */
const lines = (...reasons: string[]) => reasons.map((why): ResultReply => [`TASK NOT DONE: ${why}`, why]);

const resultReplies: ResultReply[] = [
	// As it was asked for, at the end.
	...each([`I opened the shop.\n\nTASK NOT DONE: ${SIGN_IN}`, `TASK NOT DONE: ${SIGN_IN}`], SIGN_IN),
	[`I could not read your orders.\nTASK NOT DONE: ${SIGN_IN}\n`, SIGN_IN],
	['TASK NOT DONE:The site blocks automated browsers', 'The site blocks automated browsers'],
	['TASK NOT DONE:\nA captcha appeared.', 'A captcha appeared.'],
	['I read 3 of 5 pages:\n\n1. Lamp\n2. Desk\n\nTASK NOT DONE: Page 4 does not load.', 'Page 4 does not load.'],
	['No access to the portal.\r\n\r\nTASK NOT DONE: The password was refused.\r\n', 'The password was refused.'],
	...lines('A captcha,\nand I could not solve it.', 'No access: the site asks for a sign-in', 'Not signed in'),
	['TASK NOT DONE: true', 'The agent could not do its task and gave no reason'],
	// With Markdown around it.
	...each([`I opened the shop.\n\n**TASK NOT DONE:** ${SIGN_IN}`, `**TASK NOT DONE: ${SIGN_IN}**`], SIGN_IN),
	...each([`**TASK NOT DONE**: ${SIGN_IN}`, `> **TASK NOT DONE:** ${SIGN_IN}`], SIGN_IN),
	[`## Result\n\nNothing could be read.\n\n### TASK NOT DONE: ${SIGN_IN}`, SIGN_IN],
	...each([`\`TASK NOT DONE: ${SIGN_IN}\``, `_TASK NOT DONE: ${SIGN_IN}_`, `- TASK NOT DONE: ${SIGN_IN}`], SIGN_IN),
	...each([`* **TASK NOT DONE:** ${SIGN_IN}`, `Here is what I have:\n\n---\nTASK NOT DONE: ${SIGN_IN}`], SIGN_IN),
	...each([`\`\`\`\nTASK NOT DONE: ${SIGN_IN}\n\`\`\``, `~~~\nTASK NOT DONE: ${SIGN_IN}\n~~~`], SIGN_IN),
	...each([`\`\`\`\nNo orders.\nTASK NOT DONE: ${SIGN_IN}\n\`\`\``, `⚠️ TASK NOT DONE: ${SIGN_IN}`], SIGN_IN),
	[`    TASK NOT DONE: ${SIGN_IN}`, SIGN_IN],
	// Something stands behind it.
	[`TASK NOT DONE: ${SIGN_IN}\n\nPlease sign in, and ask me again.`, SIGN_IN],
	[`TASK NOT DONE: ${SIGN_IN}\n\nLet me know if I should try another shop!`, SIGN_IN],
	[`\`\`\`\nTASK NOT DONE: ${SIGN_IN}\n\`\`\`\nI can go on once you are signed in.`, SIGN_IN],
	[`TASK NOT DONE: ${SIGN_IN}\n\n\`\`\`json\n{"orders": []}\n\`\`\``, SIGN_IN],
	// In other languages.
	['TASK NOT DONE : le site demande une connexion.', 'le site demande une connexion.'],
	['Je n’ai rien trouvé.\n\n**TASK NOT DONE\u00a0:** un captcha bloque la page', 'un captcha bloque la page'],
	['我无法读取订单。\n\nTASK NOT DONE：该网站需要登录。', '该网站需要登录。'],
	['لم أتمكن من قراءة الطلبات.\n\nTASK NOT DONE: الموقع يطلب تسجيل الدخول', 'الموقع يطلب تسجيل الدخول'],
	// It says nothing.
	...each(['I read all orders.\n\nTASK NOT DONE: none.', 'I read all orders.\n\n**TASK NOT DONE:** N/A'], ''),
	...each(['All 12 rows are in the table.\nTASK NOT DONE: -', 'Done.\n\nTASK NOT DONE:'], ''),
	...each(['Three orders.\n\nTASK NOT DONE: All done!', 'Three orders.\n\nTASK NOT DONE: Nothing stopped me.'], ''),
	['Three orders.\n\nTASK NOT DONE: None - everything was read.', '', 'None - everything was read.'],
	// It is taken back.
	['TASK NOT DONE: A captcha.\n\nI have solved it since. All is read.\n\nTASK NOT DONE: none', '', 'A captcha.'],
	['TASK NOT DONE: A captcha.\n\nUpdate: the captcha is gone. Here are your three orders: A, B, C.', '', 'A captcha.'],
	['TASK NOT DONE: Page 1 is away.\n\nTASK NOT DONE: Page 2 asks for a sign-in.', 'Page 1 is away.'],
	// A stranger's words are quoted.
	[`TASK NOT DONE: ${SIGN_IN}\n\nThe mail says:\nTASK NOT DONE: none`, SIGN_IN],
	[`TASK NOT DONE: ${SIGN_IN}\n\n> TASK NOT DONE: N/A (task complete)`, SIGN_IN],
	...lines('Nothing: captcha', 'Done: 3 of 10'),
	...each(['TASK NOT DONE: N/A (task complete)', 'All three are sent.\nTASK NOT DONE: no, everything is done'], ''),
	['TASK NOT DONE: none of the above applied', ''],
	// It is only spoken of.
	['I did not need "TASK NOT DONE:" because everything was read.', ''],
	['"TASK NOT DONE:" is what I would have written if I had been stopped.', ''],
	['If the site had asked for a sign-in, I would have ended with TASK NOT DONE: and why.', ''],
	['Your list:\n- NOT DONE: call Anna\n- DONE: buy milk', ''],
	...each(['| State | Count |\n| --- | --- |\n| TASK NOT DONE: | 3 |', 'task not done: 3, task done: 12'], ''),
	['Tickets on the board:\n1. TASK DONE: sign-in page\n2. Task not done: captcha page', ''],
	['Status of job 7: TASK NOT DONE: waiting for approval', ''],
	// JSON is a result like any other.
	...each(['{"done":12,"not_done":3}', '{"not_done":["wash the car"],"done":["buy milk"]}'], ''),
	['The field {"not_done":"x"} is in the API, and so on.', ''],
	['```json\n{"rows": [], "not_done": "<why>"}\n```\nThis is what the API returns.', ''],
	// Done, and a sentinel is not used.
	['Nothing is left to do: the form was sent, and the page shows "Thank you".', ''],
	['The page shows: "Sign in to see prices". Prices without sign-in: Lamp 12.50.', ''],
	...each(['Which account should I use: private or business?', ''], ''),
	// Not done, and said in other words.
	['I am sorry, but I could not open the page: it asks for a sign-in.', 'it asks for a sign-in', ''],
	['The site blocked me with a captcha, so I have no prices.', 'a captcha', ''],
	['Task not done: the site asks for a sign-in.', 'the site asks for a sign-in', ''],
	['TASK NOT DONE - the site asks for a sign-in.', 'the site asks for a sign-in', ''],
	['TASK NOT COMPLETED: the site asks for a sign-in.', 'the site asks for a sign-in', ''],
	['I read page 1. TASK NOT DONE: page 2 asks for a sign-in.', 'page 2 asks for a sign-in.', ''],
	['AUFGABE NICHT ERLEDIGT: Die Seite verlangt eine Anmeldung.', 'Die Seite verlangt eine Anmeldung.', ''],
	['{"not_done": "The site asks for a sign-in"}', 'The site asks for a sign-in', ''],
	['TASK NOT DONE', 'no reason given', ''],
	// With what stopped it in brackets, as it was asked for.
	[`I opened the shop.\n\nTASK NOT DONE: [sign_in] ${SIGN_IN}`, `[sign_in] ${SIGN_IN}`],
	...lines('[captcha] The shop shows a captcha.', '[one_time_code] The bank sent a code by SMS'),
	...lines('[payment] The order has to be paid first', '[approval] May I send the form?'),
	...lines('[access_denied] 403 on every page', '[page_down] Error 500', '[other] The file is not a PDF'),
	// In brackets that a model writes in its own way.
	[`TASK NOT DONE: [Sign in] ${SIGN_IN}`, `[sign_in] ${SIGN_IN}`],
	[`**TASK NOT DONE:** **[captcha]**: A captcha blocks me`, '[captcha] A captcha blocks me'],
	['TASK NOT DONE: [<captcha>] – A captcha blocks me', '[captcha] A captcha blocks me'],
	['**TASK NOT DONE [captcha]:** A captcha blocks me', '[captcha] A captcha blocks me'],
	['**TASK NOT DONE** [captcha] A captcha blocks me', '[captcha] A captcha blocks me'],
	['TASK NOT DONE: [access-denied] 403', '[access_denied] 403'],
	['TASK NOT DONE [Page down]: Error 500', '[page_down] Error 500'],
	['❌ TASK NOT DONE：[验证码] 需要登录', '[验证码] 需要登录'],
	['TASK NOT DONE: [captcha]', '[captcha] The agent reported: captcha'],
	['TASK NOT DONE: [other]', '[other] The agent reported: other'],
	['TASK NOT DONE: [captcha] none', '[captcha] The agent reported: captcha'],
	['TASK NOT DONE: [<what>] <why>', ''],
	// It lies, misspells the word, or quotes one.
	...(
		[
			['[captcha] The shop asks for a password', '[sign_in] The shop asks for a password'],
			['[sign_in] The page does not load', '[page_down] The page does not load'],
			['[catpcha] A captcha blocks me', '[captcha] A captcha blocks me'],
		] as const
	).map(([said, meant]): ResultReply => [`TASK NOT DONE: ${said}`, meant, said]),
	...lines('[sign_in, captcha] Both', 'The page shows "[captcha]" and no form'),
	...lines('[captcha](https://shop.example/c) blocks me'),
	['The shop writes: [sign_in] is not needed. Lamp 12.50', ''],
];

/** A reply, or its texts, to a task with rows: "Lamp 12.5", a question mark for what does not fit, "! why" for what is not done. */
type RowsReply = [reply: string | string[], person: string, node?: string];

const LAMP = '{"name": "Lamp", "price": 12.5}';
const DESK = '{"name": "Desk", "price": null}';
const fenced = (json: string, language = 'json') => `\`\`\`${language}\n${json}\n\`\`\``;
/** The rows of the lamp alone, bare and in a fence; those of both. */
const BARE = `{"rows": [${LAMP}]}`;
const [FENCED, BOTH] = [fenced(BARE), fenced(`{"rows": [${LAMP}, ${DESK}]}`)];
const good = (notDone: string) => `{"rows": [${LAMP}], "not_done": ${notDone}}`;
/** Rows beside each of the values, which says nothing. */
const saying = (values: string) => each(values.split(', ').map(good), 'Lamp 12.5');
/** Rows beside each of the reasons; those that a person takes for none. */
const reasons = (...all: string[]) => all.map((why): RowsReply => [good(`"${why}"`), `! ${why} | Lamp 12.5`]);
const noReasons = (...all: string[]) => reasons(...all).map(([reply, node]): RowsReply => [reply, 'Lamp 12.5', node]);
const none = (notDone: string) => fenced(`{"rows": [], "not_done": ${notDone}}`);
const CAPTCHA = '"The shop shows a captcha"';
const UNEXPLAINED = '! The agent could not do its task and gave no reason';
const CAPTCHA_SEEN = '! The shop shows a captcha';

const rowsReplies: RowsReply[] = [
	// As it was asked for.
	...each([BOTH, `I found two offers.\n\n${BOTH}`, `[${LAMP}, ${DESK}]`, `${LAMP}\n${DESK}`], 'Lamp 12.5; Desk null'),
	...each([fenced(`${LAMP}\n${DESK}`, 'jsonl'), [FENCED, BOTH]], 'Lamp 12.5; Desk null'),
	[fenced('{"rows": []}'), ''],
	...each([BARE, `${FENCED}\n\nLet me know if you need more!`, fenced(`[${LAMP}]`), fenced(BARE, 'JSON')], 'Lamp 12.5'),
	...each([fenced(BARE, ''), `~~~json\n${BARE}\n~~~`, `\`\`\`json ${BARE} \`\`\``, `\`\`\`json\n${BARE}`], 'Lamp 12.5'),
	...each([LAMP, `Here is the JSON: ${BARE}.`], 'Lamp 12.5'),
	[`1. I opened the shop [1].\n2. I sorted by price.\n\n- [x] read\n\n${FENCED}`, 'Lamp 12.5'],
	[`I ran this:\n${fenced('curl https://shop.example', 'sh')}\n${FENCED}`, 'Lamp 12.5'],
	[[FENCED, 'Shall I go on with page 2?'], 'Lamp 12.5'],
	...each([`| Name | Price |\n| --- | --- |\n| Lamp | 12.5 |\n\n${FENCED}`, `**Result**\n\n> ${LAMP}`], 'Lamp 12.5'),
	...each([`<answer>${BARE}</answer>`, ['I look at the shop.', FENCED, 'I have closed the page.']], 'Lamp 12.5'),
	[`Ergebnis:\n${fenced('{"rows": [{"name": "Lämpchen", "price": 9}]}')}\nFertig.`, 'Lämpchen 9'],
	[`结果如下：\n${fenced('{"rows": [{"name": "台灯", "price": 9}]}')}`, '台灯 9'],
	// Values as models write them.
	['{"rows": [{"name": "Lamp", "price": "12.50"}]}', 'Lamp 12.5'],
	...each(['{"rows": [{"name": "Lamp", "price": "12,50"}]}', '{"rows": [{"name": "Lamp", "cost": 12.5}]}'], '?'),
	...each(['{"rows": [{"name": "Lamp", "price": "EUR 12.50"}]}', '{"rows": [{"name": "Lamp", "price": "n/a"}]}'], '?'),
	...each(['{"rows": [{"name": "Lamp"}]}', '{"rows": [{"name": "Lamp", "price": ""}]}'], 'Lamp null'),
	[`{"rows": [${LAMP}, {"name": "Desk", "price": "free"}]}`, 'Lamp 12.5 ?'],
	// Corrections.
	[`${FENCED}\nSorry, one was missing:\n${BOTH}`, 'Lamp 12.5; Desk null'],
	[`${FENCED}\nCorrection: {"rows": [${LAMP}, ${DESK}]}`, 'Lamp 12.5; Desk null'],
	...each([`${FENCED}\nIn short: ${BARE}`, `Sizes: S [sold out, M.\n${BARE}`], 'Lamp 12.5'),
	[`${BARE}\n\nI used the format {"rows": [...]}.`, 'Lamp 12.5'],
	[`The format {"rows": [...]} was asked for.\n${FENCED}`, 'Lamp 12.5'],
	[`${FENCED}\nI left out {"name": "Chair", "price": 0}.`, 'Lamp 12.5'],
	[`${FENCED}\nI left out:\n${fenced('{"name": "Chair", "price": 0}')}`, 'Lamp 12.5'],
	[`${FENCED}\nThe search was:\n${fenced('{"query": "lamp"}')}`, 'Lamp 12.5'],
	[`${BARE}\n\nWait, that is page 1 only. {"rows": [${DESK}]}`, '?', 'Desk null'],
	[`${BARE}\n{"rows": [${DESK}]}`, '?'],
	// Cut off, or no JSON at all.
	...each([`\`\`\`json\n{"rows": [${LAMP}, {"name": "De`, `{"rows": [${LAMP},`, `{"rows": [${LAMP}, ...]}`], '?'),
	...each([`{"rows": [${LAMP},]}`, '- Lamp: 12.50\n- Desk: no price'], '?'),
	...each(['I am sorry, but the page asks for a sign-in.', 'There are no offers.', 'name,price\nLamp,12.5', ''], '?'),
	...each([fenced('{"offers": []}'), fenced('{"error": "The page did not load"}')], '?'),
	["{'rows': [{'name': 'Lamp', 'price': 12.5}]}", 'Lamp 12.5', '?'],
	// Something stopped it.
	...each([none(CAPTCHA), `I could not read the offers.\n\n${none(CAPTCHA)}`], CAPTCHA_SEEN),
	...each([`{"not_done": ${CAPTCHA}}`, `I was stopped. {"not_done": ${CAPTCHA}}`], CAPTCHA_SEEN),
	[`I was stopped.\n\n${fenced(`{"not_done": ${CAPTCHA}}`)}`, CAPTCHA_SEEN],
	[[none(CAPTCHA), 'I have closed the page.'], CAPTCHA_SEEN],
	...each([fenced(good(CAPTCHA)), `${FENCED}\n${fenced(`{"not_done": ${CAPTCHA}}`)}`], `${CAPTCHA_SEEN} | Lamp 12.5`),
	[`${FENCED}\n{"not_done": ${CAPTCHA}}`, `${CAPTCHA_SEEN} | Lamp 12.5`],
	[[FENCED, `No more. {"not_done": ${CAPTCHA}}`], `${CAPTCHA_SEEN} | Lamp 12.5`],
	[fenced(`{"name": "Lamp", "price": null, "not_done": ${CAPTCHA}}`), `${CAPTCHA_SEEN} | Lamp null`],
	...reasons('No access: the site asks for a sign-in', 'Only page 1 could be read', '需要登录'),
	...reasons('Die Seite verlangt eine Anmeldung', 'No issues except that page 3 did not load'),
	...reasons('None of the later pages loads', 'Nothing, the rest asks for a sign-in'),
	[none('"Nothing, the site asks for a sign-in"'), '! Nothing, the site asks for a sign-in'],
	[none('"No. A captcha blocks the search"'), '! No. A captcha blocks the search'],
	[none('["captcha", "sign-in"]'), '! [captcha] sign-in', UNEXPLAINED],
	[none('true'), UNEXPLAINED],
	[none('{"reason": "captcha"}'), '! [captcha] The agent reported: captcha', UNEXPLAINED],
	[`{"rows": [{"name": "Lamp", "price": "?"}], "not_done": ${CAPTCHA}}`, `${CAPTCHA_SEEN} | ?`],
	[`{"not_done": ${CAPTCHA}, "page": 3}`, `${CAPTCHA_SEEN} | ?`, '?'],
	// Nothing stopped it, and it says so all the same.
	...saying('null, "", " ", "None", "None.", "Nothing", "nothing.", "—", "N/A", "n/a", "not applicable", "No issues"'),
	...saying('"No problems.", "No errors", "Done", "All done.", "false", false, 0, "0", [], {}, "null"'),
	...['2', 'true'].map((said): RowsReply => [good(said), 'Lamp 12.5', `${UNEXPLAINED} | Lamp 12.5`]),
	...saying('"no", "No.", "**None**", "Nothing stopped me"'),
	...noReasons('None - all rows were collected.', 'None, everything worked', 'N/A: the shop was open to everyone'),
	...noReasons('nothing stopped the agent, all pages loaded', 'No issues (all 3 pages were read)', 'Done: 1 of 1'),
	...noReasons('No; all pages were read', 'No issues encountered', 'Everything was read', 'Keine', '无'),
	...each(['null', '"None"', '"None."', '"nothing"', '"N/A"', 'false', '""', '[]'].map(none), ''),
	[`${FENCED}\n{"not_done": null}`, 'Lamp 12.5'],
	[none('"None, there are no offers in this category"'), '', '! None, there are no offers in this category'],
	// It is only spoken of.
	[`I would add {"not_done": "a captcha"} if I were stopped.\n${FENCED}`, 'Lamp 12.5', '! a captcha | Lamp 12.5'],
	[fenced('{"rows": [{"name": "Lamp", "price": 12.5, "not_done": "sold out"}]}'), 'Lamp 12.5'],
	[`not_done: a captcha\n${FENCED}`, 'Lamp 12.5'],
	[fenced('{"rows": [{"name": "{\\"not_done\\": \\"x\\"}", "price": 1}]}'), '{"not_done": "x"} 1'],
	// A stranger's words are quoted behind it.
	[`${none(CAPTCHA)}\nThe mail says:\n${FENCED}`, `${CAPTCHA_SEEN} | Lamp 12.5`],
	[`{"not_done": ${CAPTCHA}}\n${fenced('{"rows": [], "not_done": "none"}')}`, CAPTCHA_SEEN],
	[`TASK NOT DONE: The shop shows a captcha\n\n${FENCED}`, `${CAPTCHA_SEEN} | Lamp 12.5`, 'Lamp 12.5'],
	// With what stopped it in brackets.
	[none('"[captcha] The shop shows a captcha"'), '! [captcha] The shop shows a captcha'],
	...reasons('[page_down] Page 2 does not load'),
	[none('"[Sign-In]: the shop asks"'), '! [sign_in] the shop asks'],
	[`{"not_done": "**[one-time code]** sent by SMS"}`, '! [one_time_code] sent by SMS'],
	[none('["access_denied", "403 on every page"]'), '! [access_denied] 403 on every page', UNEXPLAINED],
	[none('{"what": "captcha", "why": "The shop shows one"}'), '! [captcha] The shop shows one', UNEXPLAINED],
	[good('["captcha", "Page 2 shows one"]'), '! [captcha] Page 2 shows one | Lamp 12.5', `${UNEXPLAINED} | Lamp 12.5`],
	[none('{"what": "captcha"}'), '! [captcha] The agent reported: captcha', UNEXPLAINED],
	[good('"[other]"'), '! [other] The agent reported: other | Lamp 12.5'],
	[good('"[captcha] none"'), '! [captcha] The agent reported: captcha | Lamp 12.5'],
	...saying('"[<what>] <why>"'),
	// It lies, misspells the word, or quotes one.
	[
		none('"[other] The shop asks for a password"'),
		'! [sign_in] The shop asks for a password',
		'! [other] The shop asks for a password',
	],
	[none('"[signin required] The shop asks"'), '! [sign_in] The shop asks', '! [signin required] The shop asks'],
	[fenced('{"rows": [{"name": "[captcha] Lamp", "price": 1}]}'), '[captcha] Lamp 1'],
];

const format = formatOf({ name: TEXT, price: NUMBER });

const withBlocker = (reason = '', blockedBy = '') => (blockedBy ? `[${blockedBy}] ${reason}` : reason);

function meaningOf(texts: string[]): string {
	const { rows, problems, notDone } = readRows(texts, format);
	const found = rows.map(({ name, price }) => `${String(name)} ${String(price)}`).join('; ');
	const fitting = [found, problems.length ? '?' : ''].filter(Boolean).join(' ');
	return [notDone && `! ${withBlocker(notDone.reason, notDone.blockedBy)}`, fitting].filter(Boolean).join(' | ');
}

it.each(resultReplies)('the result %j is read as a person reads it: %j', (reply, person, node = person) => {
	const { reason, blockedBy } = notDoneInText(reply);
	expect(withBlocker(reason, blockedBy)).toBe(node);
});

it.each(rowsReplies)('the rows %j are read as a person reads them: %j', (reply, person, node = person) => {
	expect(meaningOf([reply].flat())).toBe(node);
});

it('most replies are read as a person reads them', () => {
	const all = [...resultReplies, ...rowsReplies];
	expect(all.length).toBeGreaterThanOrEqual(200);
	expect(all.filter(([, , node]) => node !== undefined).length).toBeLessThanOrEqual(42);
});

describe('of 1,000 generated replies', () => {
	const nothing = fc.constantFrom(
		...['none', 'N/A (task complete)', '**None**', 'no, everything is done', '[<what>] <why>', '<why>'],
	);
	/** Paragraphs that give no reason, those of a stranger included. */
	const harmless = fc.oneof(
		fc.constantFrom('I opened the shop.', 'See [1], - [ ] and "[50% off".', 'I closed the page :]', '~~~'),
		fc.constantFrom('> The code is [captcha].', 'I would write TASK NOT DONE: why', 'task not done: 3', '`not_done`'),
		fc.constantFrom(fenced('ls -la'), FENCED, '`{"`', '{"done": 3, "not_done": "5 tasks"}'),
		fc.constantFrom('[{"name": "A", "not_done": "sold out"}]', 'It says {"a": "TASK NOT DONE: x"}'),
		nothing.map((said) => `TASK NOT DONE: ${said}`),
		nothing.map((said) => fenced(JSON.stringify({ rows: [], not_done: said }))),
	);
	const why = fc.constantFrom(
		...['The shop asks for a password', 'No access to the page', 'None of the pages loaded: captcha', '验证码'],
	);
	const what = fc.constantFrom(undefined, ...BLOCKERS);
	const reason = fc.tuple(what, why).map(([word, text]) => (word ? `[${word}] ${text}` : text));
	const frames = ['TASK NOT DONE: #', '**TASK NOT DONE:** #', '> TASK NOT DONE: #', '```\nTASK NOT DONE: #\n```'];
	const line = fc
		.tuple(reason, fc.constantFrom(...frames))
		.map(([text, frame]) => [text, frame.replace('#', () => text)]);
	const object = fc
		.tuple(reason, fc.constantFrom<object>({}, { rows: [] }, JSON.parse(BARE) as object), fc.boolean())
		.map(([text, rows, isFenced]) => {
			const json = JSON.stringify({ ...rows, not_done: text });
			return [text, isFenced ? fenced(json) : json];
		});
	const paragraphs = fc.array(harmless, { maxLength: 4 });
	const read = (reply: string) => {
		const result = notDoneInText(reply);
		const { notDone } = readRows([reply], format);
		return [result, notDone].map((found) => withBlocker(found?.reason, found?.blockedBy));
	};

	it('none without a reason is read as one with a reason', () => {
		fc.assert(
			fc.property(paragraphs, (texts) => expect(read(texts.join('\n\n'))).toEqual(['', ''])),
			fuzz(500),
		);
	});

	it('none with a reason in the form that was asked for is read as one without it, whatever stands around it', () => {
		const inForm = fc.oneof(
			line.map(([reason, text]) => [reason, text, '']),
			object.map(([reason, text]) => ['', text, reason]),
		);
		fc.assert(
			fc.property(paragraphs, inForm, paragraphs, (before, [ofResult, text, ofRows], after) => {
				expect(read([...before, text, ...after].join('\n\n'))).toEqual([ofResult, ofRows]);
			}),
			fuzz(500),
		);
	});
});

// n8n#13149, langchain#35530
describe('what a model thinks at the very beginning of a text', () => {
	const THOUGHTS = '<think>I could write {"rows": [{"name": "A", "price": 1}]}.\nTASK NOT DONE: no</think>\n\n';
	/** What is read of a run with texts, by an operation. */
	const replyOf = (operation: string, ...texts: string[]) => {
		const rows = operation === 'rows' ? format : undefined;
		const steps = texts.map((text) => [text]);
		return readReply(steps, { operation, checksDone: operation !== 'raw', rows }, true, new Secrets([]));
	};

	it.each([
		...each([[`${THOUGHTS}Lamp`], [`\n<THINK></THINK>Lamp`], ['<think>a</think> <think>b</think>\nLamp']], ['Lamp']),
		[['<think>a</think><think>b</think>'], []],
		[
			[`${THOUGHTS}I look.`, `${THOUGHTS}Lamp`],
			['I look.', 'Lamp'],
		],
		[['Lamp <think>a</think>'], ['Lamp <think>a</think>']],
		[['<think>Lamp'], ['<think>Lamp']],
		[['<thinker>a</thinker>'], ['<thinker>a</thinker>']],
	])('is no part of the result %j, but of the raw output', (texts, expected) => {
		const textsFor = (operation: string) => textsOf(replyOf(operation, ...texts).run.message.parts);
		expect([textsFor('result'), textsFor('raw')]).toEqual([expected, texts]);
	});

	it('is no part of rows, and gives no reason', () => {
		const rowsIn = (text: string) => replyOf('rows', `${THOUGHTS}${text}`).rows;
		expect(rowsIn('{"rows": []}')).toMatchObject({ rows: [], problems: [] });
		expect(rowsIn('{"rows": []}')?.leftOut).toBeUndefined();
		expect(rowsIn('Nothing')).toMatchObject({ problems: ['The reply contains no JSON with rows'] });
		expect(replyOf('result', THOUGHTS).run.status).toBe('completed');
	});
});
