import fc from 'fast-check';

import { BLOCKERS, readNotDone } from '../../nodes/RunAutomation/reply/not-done';
import { readRows } from '../../nodes/RunAutomation/reply/read-rows';
import { readReply } from '../../nodes/RunAutomation/reply/reply';
import type { ReadRun } from '../../nodes/RunAutomation/run/read-stream';
import { textsOf } from '../../nodes/RunAutomation/run/message';
import { shorten } from '../../nodes/shared/text';
import { fuzz } from './fuzz';

/**
 * Replies as models write them, and what a person who reads them would say that they mean. Where the node reads one otherwise, that stands
 * behind it: the rules are to take nothing for a reason that is none, and so they miss some.
 */

/**
 * A reply to a task with a text as its result; why the task is not done, behind what stopped it in brackets if the agent names that, or
 * nothing if it is done; what the node reads instead.
 */
type ResultReply = [reply: string, person: string, node?: string];

const SIGN_IN = 'The site asks for a sign-in.';

const resultReplies: ResultReply[] = [
	// As it was asked for, at the end.
	[`I opened the shop.\n\nTASK NOT DONE: ${SIGN_IN}`, SIGN_IN],
	[`TASK NOT DONE: ${SIGN_IN}`, SIGN_IN],
	[`I could not read your orders.\nTASK NOT DONE: ${SIGN_IN}\n`, SIGN_IN],
	['TASK NOT DONE:The site blocks automated browsers', 'The site blocks automated browsers'],
	['TASK NOT DONE: A captcha,\nand I could not solve it.', 'A captcha,\nand I could not solve it.'],
	['TASK NOT DONE:\nA captcha appeared.', 'A captcha appeared.'],
	['I read 3 of 5 pages:\n\n1. Lamp\n2. Desk\n\nTASK NOT DONE: Page 4 does not load.', 'Page 4 does not load.'],
	['No access to the portal.\r\n\r\nTASK NOT DONE: The password was refused.\r\n', 'The password was refused.'],
	['TASK NOT DONE: No access: the site asks for a sign-in', 'No access: the site asks for a sign-in'],
	['TASK NOT DONE: Not signed in', 'Not signed in'],
	['TASK NOT DONE: true', 'The agent could not do its task and gave no reason'],
	// With Markdown around it.
	[`I opened the shop.\n\n**TASK NOT DONE:** ${SIGN_IN}`, SIGN_IN],
	[`**TASK NOT DONE: ${SIGN_IN}**`, SIGN_IN],
	[`**TASK NOT DONE**: ${SIGN_IN}`, SIGN_IN],
	[`> **TASK NOT DONE:** ${SIGN_IN}`, SIGN_IN],
	[`## Result\n\nNothing could be read.\n\n### TASK NOT DONE: ${SIGN_IN}`, SIGN_IN],
	[`\`TASK NOT DONE: ${SIGN_IN}\``, SIGN_IN],
	[`_TASK NOT DONE: ${SIGN_IN}_`, SIGN_IN],
	[`- TASK NOT DONE: ${SIGN_IN}`, SIGN_IN],
	[`* **TASK NOT DONE:** ${SIGN_IN}`, SIGN_IN],
	[`Here is what I have:\n\n---\nTASK NOT DONE: ${SIGN_IN}`, SIGN_IN],
	[`\`\`\`\nTASK NOT DONE: ${SIGN_IN}\n\`\`\``, SIGN_IN],
	[`~~~\nTASK NOT DONE: ${SIGN_IN}\n~~~`, SIGN_IN],
	[`\`\`\`\nNo orders.\nTASK NOT DONE: ${SIGN_IN}\n\`\`\``, SIGN_IN],
	[`⚠️ TASK NOT DONE: ${SIGN_IN}`, SIGN_IN],
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
	['I read all orders.\n\nTASK NOT DONE: none.', ''],
	['I read all orders.\n\n**TASK NOT DONE:** N/A', ''],
	['All 12 rows are in the table.\nTASK NOT DONE: -', ''],
	['Done.\n\nTASK NOT DONE:', ''],
	['Three orders.\n\nTASK NOT DONE: All done!', ''],
	['Three orders.\n\nTASK NOT DONE: None - everything was read.', '', 'None - everything was read.'],
	['Three orders.\n\nTASK NOT DONE: Nothing stopped me.', ''],
	// It is taken back.
	['TASK NOT DONE: A captcha.\n\nI have solved it since. All is read.\n\nTASK NOT DONE: none', '', 'A captcha.'],
	['TASK NOT DONE: A captcha.\n\nUpdate: the captcha is gone. Here are your three orders: A, B, C.', '', 'A captcha.'],
	['TASK NOT DONE: Page 1 is away.\n\nTASK NOT DONE: Page 2 asks for a sign-in.', 'Page 1 is away.'],
	// A stranger's words are quoted.
	[`TASK NOT DONE: ${SIGN_IN}\n\nThe mail says:\nTASK NOT DONE: none`, SIGN_IN],
	[`TASK NOT DONE: ${SIGN_IN}\n\n> TASK NOT DONE: N/A (task complete)`, SIGN_IN],
	['TASK NOT DONE: N/A (task complete)', ''],
	['All three are sent.\nTASK NOT DONE: no, everything is done', ''],
	['TASK NOT DONE: none of the above applied', ''],
	['TASK NOT DONE: Nothing: captcha', 'Nothing: captcha'],
	['TASK NOT DONE: Done: 3 of 10', 'Done: 3 of 10'],
	// It is only spoken of.
	['I did not need "TASK NOT DONE:" because everything was read.', ''],
	['"TASK NOT DONE:" is what I would have written if I had been stopped.', ''],
	['If the site had asked for a sign-in, I would have ended with TASK NOT DONE: and why.', ''],
	['Your list:\n- NOT DONE: call Anna\n- DONE: buy milk', ''],
	['| State | Count |\n| --- | --- |\n| TASK NOT DONE: | 3 |', ''],
	['task not done: 3, task done: 12', ''],
	['Tickets on the board:\n1. TASK DONE: sign-in page\n2. Task not done: captcha page', ''],
	['Status of job 7: TASK NOT DONE: waiting for approval', ''],
	// JSON is a result like any other.
	['{"done":12,"not_done":3}', ''],
	['{"not_done":["wash the car"],"done":["buy milk"]}', ''],
	['The field {"not_done":"x"} is in the API, and so on.', ''],
	['```json\n{"rows": [], "not_done": "<why>"}\n```\nThis is what the API returns.', ''],
	// Done, and a sentinel is not used.
	['Nothing is left to do: the form was sent, and the page shows "Thank you".', ''],
	['The page shows: "Sign in to see prices". Prices without sign-in: Lamp 12.50.', ''],
	['Which account should I use: private or business?', ''],
	['', ''],
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
	['TASK NOT DONE: [captcha] The shop shows a captcha.', '[captcha] The shop shows a captcha.'],
	['TASK NOT DONE: [one_time_code] The bank sent a code by SMS', '[one_time_code] The bank sent a code by SMS'],
	['TASK NOT DONE: [payment] The order has to be paid first', '[payment] The order has to be paid first'],
	['TASK NOT DONE: [approval] May I send the form?', '[approval] May I send the form?'],
	['TASK NOT DONE: [access_denied] 403 on every page', '[access_denied] 403 on every page'],
	['TASK NOT DONE: [page_down] Error 500', '[page_down] Error 500'],
	['TASK NOT DONE: [other] The file is not a PDF', '[other] The file is not a PDF'],
	// In brackets that a model writes in its own way.
	[`TASK NOT DONE: [Sign in] ${SIGN_IN}`, `[sign_in] ${SIGN_IN}`],
	[`**TASK NOT DONE:** **[captcha]**: A captcha blocks me`, '[captcha] A captcha blocks me'],
	['TASK NOT DONE: [access-denied] 403', '[access_denied] 403'],
	['TASK NOT DONE: [<captcha>] – A captcha blocks me', '[captcha] A captcha blocks me'],
	['**TASK NOT DONE [captcha]:** A captcha blocks me', '[captcha] A captcha blocks me'],
	['TASK NOT DONE [Page down]: Error 500', '[page_down] Error 500'],
	['**TASK NOT DONE** [captcha] A captcha blocks me', '[captcha] A captcha blocks me'],
	['❌ TASK NOT DONE：[验证码] 需要登录', '[验证码] 需要登录'],
	['TASK NOT DONE: [captcha]', '[captcha] The agent reported: captcha'],
	['TASK NOT DONE: [other]', '[other] The agent reported: other'],
	['TASK NOT DONE: [captcha] none', ''],
	['TASK NOT DONE: [<what>] <why>', ''],
	// It lies, misspells the word, or quotes one.
	[
		'TASK NOT DONE: [captcha] The shop asks for a password',
		'[sign_in] The shop asks for a password',
		'[captcha] The shop asks for a password',
	],
	[
		'TASK NOT DONE: [sign_in] The page does not load',
		'[page_down] The page does not load',
		'[sign_in] The page does not load',
	],
	['TASK NOT DONE: [catpcha] A captcha blocks me', '[captcha] A captcha blocks me', '[catpcha] A captcha blocks me'],
	['TASK NOT DONE: [sign_in, captcha] Both', '[sign_in, captcha] Both'],
	['TASK NOT DONE: The page shows "[captcha]" and no form', 'The page shows "[captcha]" and no form'],
	['TASK NOT DONE: [captcha](https://shop.example/c) blocks me', '[captcha](https://shop.example/c) blocks me'],
	['The shop writes: [sign_in] is not needed. Lamp 12.50', ''],
];

/**
 * A reply to a task with rows of a name and a price, each step a text: the rows as "Lamp 12.5", a question mark if something does not
 * fit, and behind an exclamation mark why the task is not done; what the node reads instead.
 */
type RowsReply = [reply: string | string[], person: string, node?: string];

const LAMP = '{"name": "Lamp", "price": 12.5}';
const DESK = '{"name": "Desk", "price": null}';
const fenced = (json: string, language = 'json') => `\`\`\`${language}\n${json}\n\`\`\``;
const good = (notDone: string) => `{"rows": [${LAMP}], "not_done": ${notDone}}`;
/** Rows beside each of the values, which says nothing. */
const saying = (values: string) => values.split(', ').map((said): RowsReply => [good(said), 'Lamp 12.5']);
const none = (notDone: string) => fenced(`{"rows": [], "not_done": ${notDone}}`);
const CAPTCHA = '"The shop shows a captcha"';
const UNEXPLAINED = '! The agent could not do its task and gave no reason';
const CAPTCHA_SEEN = '! The shop shows a captcha';

const rowsReplies: RowsReply[] = [
	// As it was asked for.
	[fenced(`{"rows": [${LAMP}, ${DESK}]}`), 'Lamp 12.5; Desk null'],
	[fenced('{"rows": []}'), ''],
	[`{"rows": [${LAMP}]}`, 'Lamp 12.5'],
	[`I found two offers.\n\n${fenced(`{"rows": [${LAMP}, ${DESK}]}`)}`, 'Lamp 12.5; Desk null'],
	[`${fenced(`{"rows": [${LAMP}]}`)}\n\nLet me know if you need more!`, 'Lamp 12.5'],
	[fenced(`[${LAMP}]`), 'Lamp 12.5'],
	[`[${LAMP}, ${DESK}]`, 'Lamp 12.5; Desk null'],
	[fenced(`{"rows": [${LAMP}]}`, 'JSON'), 'Lamp 12.5'],
	[fenced(`{"rows": [${LAMP}]}`, ''), 'Lamp 12.5'],
	[`~~~json\n{"rows": [${LAMP}]}\n~~~`, 'Lamp 12.5'],
	[`\`\`\`json {"rows": [${LAMP}]} \`\`\``, 'Lamp 12.5'],
	[`\`\`\`json\n{"rows": [${LAMP}]}`, 'Lamp 12.5'],
	[`${LAMP}\n${DESK}`, 'Lamp 12.5; Desk null'],
	[fenced(`${LAMP}\n${DESK}`, 'jsonl'), 'Lamp 12.5; Desk null'],
	[LAMP, 'Lamp 12.5'],
	[`Here is the JSON: {"rows": [${LAMP}]}.`, 'Lamp 12.5'],
	[`1. I opened the shop [1].\n2. I sorted by price.\n\n- [x] read\n\n${fenced(`{"rows": [${LAMP}]}`)}`, 'Lamp 12.5'],
	[`| Name | Price |\n| --- | --- |\n| Lamp | 12.5 |\n\n${fenced(`{"rows": [${LAMP}]}`)}`, 'Lamp 12.5'],
	[`**Result**\n\n> ${LAMP}`, 'Lamp 12.5'],
	[`I ran this:\n${fenced('curl https://shop.example', 'sh')}\n${fenced(`{"rows": [${LAMP}]}`)}`, 'Lamp 12.5'],
	[`<answer>{"rows": [${LAMP}]}</answer>`, 'Lamp 12.5'],
	[`Ergebnis:\n${fenced('{"rows": [{"name": "Lämpchen", "price": 9}]}')}\nFertig.`, 'Lämpchen 9'],
	[`结果如下：\n${fenced('{"rows": [{"name": "台灯", "price": 9}]}')}`, '台灯 9'],
	[['I look at the shop.', fenced(`{"rows": [${LAMP}]}`), 'I have closed the page.'], 'Lamp 12.5'],
	[[fenced(`{"rows": [${LAMP}]}`), fenced(`{"rows": [${LAMP}, ${DESK}]}`)], 'Lamp 12.5; Desk null'],
	[[fenced(`{"rows": [${LAMP}]}`), 'Shall I go on with page 2?'], 'Lamp 12.5'],
	// Values as models write them.
	['{"rows": [{"name": "Lamp", "price": "12.50"}]}', 'Lamp 12.5'],
	['{"rows": [{"name": "Lamp", "price": "12,50"}]}', '?'],
	['{"rows": [{"name": "Lamp", "price": "EUR 12.50"}]}', '?'],
	['{"rows": [{"name": "Lamp", "price": "n/a"}]}', '?'],
	['{"rows": [{"name": "Lamp"}]}', 'Lamp null'],
	['{"rows": [{"name": "Lamp", "price": ""}]}', 'Lamp null'],
	['{"rows": [{"name": "Lamp", "cost": 12.5}]}', '?'],
	[`{"rows": [${LAMP}, {"name": "Desk", "price": "free"}]}`, 'Lamp 12.5 ?'],
	// Corrections.
	[
		`${fenced(`{"rows": [${LAMP}]}`)}\nSorry, one was missing:\n${fenced(`{"rows": [${LAMP}, ${DESK}]}`)}`,
		'Lamp 12.5; Desk null',
	],
	[`${fenced(`{"rows": [${LAMP}]}`)}\nCorrection: {"rows": [${LAMP}, ${DESK}]}`, 'Lamp 12.5; Desk null'],
	[`${fenced(`{"rows": [${LAMP}]}`)}\nIn short: {"rows": [${LAMP}]}`, 'Lamp 12.5'],
	[`{"rows": [${LAMP}]}\n\nWait, that is page 1 only. {"rows": [${DESK}]}`, '?', 'Desk null'],
	[`{"rows": [${LAMP}]}\n{"rows": [${DESK}]}`, '?'],
	[`Sizes: S [sold out, M.\n{"rows": [${LAMP}]}`, 'Lamp 12.5'],
	[`{"rows": [${LAMP}]}\n\nI used the format {"rows": [...]}.`, 'Lamp 12.5'],
	[`The format {"rows": [...]} was asked for.\n${fenced(`{"rows": [${LAMP}]}`)}`, 'Lamp 12.5'],
	[`${fenced(`{"rows": [${LAMP}]}`)}\nI left out {"name": "Chair", "price": 0}.`, 'Lamp 12.5'],
	[`${fenced(`{"rows": [${LAMP}]}`)}\nI left out:\n${fenced('{"name": "Chair", "price": 0}')}`, 'Lamp 12.5'],
	[`${fenced(`{"rows": [${LAMP}]}`)}\nThe search was:\n${fenced('{"query": "lamp"}')}`, 'Lamp 12.5'],
	// Cut off, or no JSON at all.
	[`\`\`\`json\n{"rows": [${LAMP}, {"name": "De`, '?'],
	[`{"rows": [${LAMP},`, '?'],
	[`{"rows": [${LAMP}, ...]}`, '?'],
	[`{"rows": [${LAMP},]}`, '?'],
	["{'rows': [{'name': 'Lamp', 'price': 12.5}]}", 'Lamp 12.5', '?'],
	['- Lamp: 12.50\n- Desk: no price', '?'],
	['I am sorry, but the page asks for a sign-in.', '?'],
	['There are no offers.', '?'],
	['name,price\nLamp,12.5', '?'],
	['', '?'],
	[fenced('{"offers": []}'), '?'],
	[fenced('{"error": "The page did not load"}'), '?'],
	// Something stopped it.
	[none(CAPTCHA), CAPTCHA_SEEN],
	[`I could not read the offers.\n\n${none(CAPTCHA)}`, CAPTCHA_SEEN],
	[fenced(good(CAPTCHA)), `${CAPTCHA_SEEN} | Lamp 12.5`],
	[fenced(`{"name": "Lamp", "price": null, "not_done": ${CAPTCHA}}`), `${CAPTCHA_SEEN} | Lamp null`],
	[`{"not_done": ${CAPTCHA}}`, CAPTCHA_SEEN],
	[`I was stopped. {"not_done": ${CAPTCHA}}`, CAPTCHA_SEEN],
	[`I was stopped.\n\n${fenced(`{"not_done": ${CAPTCHA}}`)}`, CAPTCHA_SEEN],
	[`${fenced(`{"rows": [${LAMP}]}`)}\n${fenced(`{"not_done": ${CAPTCHA}}`)}`, `${CAPTCHA_SEEN} | Lamp 12.5`],
	[`${fenced(`{"rows": [${LAMP}]}`)}\n{"not_done": ${CAPTCHA}}`, `${CAPTCHA_SEEN} | Lamp 12.5`],
	[[fenced(`{"rows": [${LAMP}]}`), `No more. {"not_done": ${CAPTCHA}}`], `${CAPTCHA_SEEN} | Lamp 12.5`],
	[[none(CAPTCHA), 'I have closed the page.'], CAPTCHA_SEEN],
	[good('"No access: the site asks for a sign-in"'), '! No access: the site asks for a sign-in | Lamp 12.5'],
	[good('"Only page 1 could be read"'), '! Only page 1 could be read | Lamp 12.5'],
	[good('"Die Seite verlangt eine Anmeldung"'), '! Die Seite verlangt eine Anmeldung | Lamp 12.5'],
	[good('"No issues except that page 3 did not load"'), '! No issues except that page 3 did not load | Lamp 12.5'],
	[good('"需要登录"'), '! 需要登录 | Lamp 12.5'],
	[none('"Nothing, the site asks for a sign-in"'), '! Nothing, the site asks for a sign-in'],
	[none('"No. A captcha blocks the search"'), '! No. A captcha blocks the search'],
	[none('["captcha", "sign-in"]'), '! [captcha] sign-in', UNEXPLAINED],
	[none('true'), UNEXPLAINED],
	[none('{"reason": "captcha"}'), '! [captcha] The agent reported: captcha', UNEXPLAINED],
	[`{"rows": [{"name": "Lamp", "price": "?"}], "not_done": ${CAPTCHA}}`, `${CAPTCHA_SEEN} | ?`],
	[`{"not_done": ${CAPTCHA}, "page": 3}`, `${CAPTCHA_SEEN} | ?`, '?'],
	[good('"None of the later pages loads"'), '! None of the later pages loads | Lamp 12.5'],
	[good('"Nothing, the rest asks for a sign-in"'), '! Nothing, the rest asks for a sign-in | Lamp 12.5'],
	// Nothing stopped it, and it says so all the same.
	...saying('null, "", " ", "None", "None.", "Nothing", "nothing.", "—", "N/A", "n/a", "not applicable", "No issues"'),
	...saying('"No problems.", "No errors", "Done", "All done.", "false", false, 0, "0", [], {}, "null"'),
	...['2', 'true'].map((said): RowsReply => [good(said), 'Lamp 12.5', `${UNEXPLAINED} | Lamp 12.5`]),
	...saying('"no", "No.", "**None**"'),
	[good('"None - all rows were collected."'), 'Lamp 12.5', '! None - all rows were collected. | Lamp 12.5'],
	[good('"None, everything worked"'), 'Lamp 12.5', '! None, everything worked | Lamp 12.5'],
	[good('"N/A: the shop was open to everyone"'), 'Lamp 12.5', '! N/A: the shop was open to everyone | Lamp 12.5'],
	[good('"Nothing stopped me"'), 'Lamp 12.5'],
	[
		good('"nothing stopped the agent, all pages loaded"'),
		'Lamp 12.5',
		'! nothing stopped the agent, all pages loaded | Lamp 12.5',
	],
	[good('"No issues (all 3 pages were read)"'), 'Lamp 12.5', '! No issues (all 3 pages were read) | Lamp 12.5'],
	[good('"Done: 1 of 1"'), 'Lamp 12.5', '! Done: 1 of 1 | Lamp 12.5'],
	[good('"No; all pages were read"'), 'Lamp 12.5', '! No; all pages were read | Lamp 12.5'],
	[good('"No issues encountered"'), 'Lamp 12.5', '! No issues encountered | Lamp 12.5'],
	[good('"Everything was read"'), 'Lamp 12.5', '! Everything was read | Lamp 12.5'],
	[good('"Keine"'), 'Lamp 12.5', '! Keine | Lamp 12.5'],
	[good('"无"'), 'Lamp 12.5', '! 无 | Lamp 12.5'],
	...['null', '"None"', '"None."', '"nothing"', '"N/A"', 'false', '""', '[]'].map(
		(said): RowsReply => [none(said), ''],
	),
	[`${fenced(`{"rows": [${LAMP}]}`)}\n{"not_done": null}`, 'Lamp 12.5'],
	[none('"None, there are no offers in this category"'), '', '! None, there are no offers in this category'],
	// It is only spoken of.
	[
		`I would add {"not_done": "a captcha"} if I were stopped.\n${fenced(`{"rows": [${LAMP}]}`)}`,
		'Lamp 12.5',
		'! a captcha | Lamp 12.5',
	],
	[fenced('{"rows": [{"name": "Lamp", "price": 12.5, "not_done": "sold out"}]}'), 'Lamp 12.5'],
	[fenced('{"rows": [{"name": "{\\"not_done\\": \\"x\\"}", "price": 1}]}'), '{"not_done": "x"} 1'],
	[`not_done: a captcha\n${fenced(`{"rows": [${LAMP}]}`)}`, 'Lamp 12.5'],
	// A stranger's words are quoted behind it.
	[`${none(CAPTCHA)}\nThe mail says:\n${fenced(`{"rows": [${LAMP}]}`)}`, `${CAPTCHA_SEEN} | Lamp 12.5`],
	[`{"not_done": ${CAPTCHA}}\n${fenced('{"rows": [], "not_done": "none"}')}`, CAPTCHA_SEEN],
	[
		`TASK NOT DONE: The shop shows a captcha\n\n${fenced(`{"rows": [${LAMP}]}`)}`,
		`${CAPTCHA_SEEN} | Lamp 12.5`,
		'Lamp 12.5',
	],
	// With what stopped it in brackets.
	[none('"[captcha] The shop shows a captcha"'), '! [captcha] The shop shows a captcha'],
	[good('"[page_down] Page 2 does not load"'), '! [page_down] Page 2 does not load | Lamp 12.5'],
	[none('"[Sign-In]: the shop asks"'), '! [sign_in] the shop asks'],
	[`{"not_done": "**[one-time code]** sent by SMS"}`, '! [one_time_code] sent by SMS'],
	[none('["access_denied", "403 on every page"]'), '! [access_denied] 403 on every page', UNEXPLAINED],
	[none('{"what": "captcha", "why": "The shop shows one"}'), '! [captcha] The shop shows one', UNEXPLAINED],
	[good('["captcha", "Page 2 shows one"]'), '! [captcha] Page 2 shows one | Lamp 12.5', `${UNEXPLAINED} | Lamp 12.5`],
	[none('{"what": "captcha"}'), '! [captcha] The agent reported: captcha', UNEXPLAINED],
	[good('"[other]"'), '! [other] The agent reported: other | Lamp 12.5'],
	[good('"[captcha] none"'), 'Lamp 12.5'],
	[good('"[<what>] <why>"'), 'Lamp 12.5'],
	// It lies, misspells the word, or quotes one.
	[
		none('"[other] The shop asks for a password"'),
		'! [sign_in] The shop asks for a password',
		'! [other] The shop asks for a password',
	],
	[none('"[signin required] The shop asks"'), '! [sign_in] The shop asks', '! [signin required] The shop asks'],
	[fenced('{"rows": [{"name": "[captcha] Lamp", "price": 1}]}'), '[captcha] Lamp 1'],
];

const columns = (['text', 'number'] as const).map((type) => {
	return { name: type === 'text' ? 'name' : 'price', type, isRequired: false, description: '' };
});

const withBlocker = (reason = '', blockedBy = '') => (blockedBy ? `[${blockedBy}] ${reason}` : reason);

function meaningOf(texts: string[]): string {
	const { rows, problems, notDone } = readRows(texts, { columns, isSingle: false });
	const found = rows.map(({ name, price }) => `${String(name)} ${String(price)}`).join('; ');
	const fitting = [found, problems.length ? '?' : ''].filter(Boolean).join(' ');
	return [notDone && `! ${withBlocker(notDone.reason, notDone.blockedBy)}`, fitting].filter(Boolean).join(' | ');
}

it.each(resultReplies)('the result %j is read as a person reads it: %j', (reply, person, node = person) => {
	const { reason, blockedBy } = readNotDone(reply);
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
	const ROWS = '{"rows": [{"name": "Lamp", "price": 12.5}]}';
	const fence = (json: string) => `\`\`\`json\n${json}\n\`\`\``;
	const nothing = fc.constantFrom(
		'none',
		'N/A (task complete)',
		'**None**',
		'no, everything is done',
		'[captcha] none',
		'<why>',
	);
	/** Paragraphs that give no reason, those of a stranger included. */
	const harmless = fc.oneof(
		fc.constantFrom(
			'I opened the shop.',
			'See [1], - [ ] and "[50% off".',
			'I closed the page :]',
			'> The code is [captcha].',
			'~~~',
		),
		fc.constantFrom(
			'I would write TASK NOT DONE: why',
			'task not done: 3',
			fence('ls -la'),
			fence(ROWS),
			'`{"`',
			'`not_done`',
		),
		fc.constantFrom(
			'{"done": 3, "not_done": "5 tasks"}',
			'[{"name": "A", "not_done": "sold out"}]',
			'It says {"a": "TASK NOT DONE: x"}',
		),
		nothing.map((said) => `TASK NOT DONE: ${said}`),
		nothing.map((said) => fence(JSON.stringify({ rows: [], not_done: said }))),
	);
	const why = fc.constantFrom(
		'The shop asks for a password',
		'No access to the page',
		'None of the pages loaded: captcha',
		'验证码',
	);
	const what = fc.constantFrom(undefined, ...BLOCKERS);
	const reason = fc.tuple(what, why).map(([word, text]) => (word ? `[${word}] ${text}` : text));
	const line = fc
		.tuple(
			reason,
			fc.constantFrom('TASK NOT DONE: #', '**TASK NOT DONE:** #', '> TASK NOT DONE: #', '```\nTASK NOT DONE: #\n```'),
		)
		.map(([text, frame]) => [text, frame.replace('#', () => text)]);
	const object = fc
		.tuple(reason, fc.constantFrom<object>({}, { rows: [] }, JSON.parse(ROWS) as object), fc.boolean())
		.map(([text, rows, isFenced]) => {
			const json = JSON.stringify({ ...rows, not_done: text });
			return [text, isFenced ? fence(json) : json];
		});
	const paragraphs = fc.array(harmless, { maxLength: 4 });
	const read = (reply: string) => {
		const result = readNotDone(reply);
		const { notDone } = readRows([reply], { columns, isSingle: false });
		return [result, notDone].map((found) => withBlocker(found?.reason, found?.blockedBy));
	};

	it('none without a reason is read as one with a reason', () => {
		fc.assert(
			fc.property(paragraphs, (texts) => {
				expect(read(texts.join('\n\n'))).toEqual(['', '']);
			}),
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
	const runOf = (...texts: string[]) => {
		const parts = texts.flatMap((text) => [{ type: 'step-start' }, { type: 'text', text, state: 'done' }]);
		return { run: { status: 'completed', message: { role: 'assistant', parts } }, chunks: [] } as unknown as ReadRun;
	};
	const textsFor = (operation: string, texts: string[]) => {
		const reply = readReply(
			runOf(...texts),
			{ operation, checksDone: operation === 'result', rows: undefined },
			shorten,
		);
		return textsOf(reply.run.message.parts);
	};

	it.each([
		[[`${THOUGHTS}Lamp`], ['Lamp']],
		[[`\n<THINK></THINK>Lamp`], ['Lamp']],
		[
			[`${THOUGHTS}I look.`, `${THOUGHTS}Lamp`],
			['I look.', 'Lamp'],
		],
		[['<think>a</think><think>b</think>'], ['<think>b</think>']],
		[['Lamp <think>a</think>'], ['Lamp <think>a</think>']],
		[['<think>Lamp'], ['<think>Lamp']],
		[['<thinker>a</thinker>'], ['<thinker>a</thinker>']],
	])('is no part of the result %j, but of the raw output', (texts, expected) => {
		expect(textsFor('result', texts)).toEqual(expected);
		expect(textsFor('raw', texts)).toEqual(texts);
	});

	it('is no part of rows, and gives no reason', () => {
		const rows = { columns, isSingle: false };
		const read = (text: string) => readReply(runOf(text), { operation: 'rows', checksDone: true, rows }, shorten).rows;
		expect(read(`${THOUGHTS}{"rows": []}`)).toMatchObject({ rows: [], problems: [] });
		expect(read(`${THOUGHTS}{"rows": []}`)?.leftOut).toBeUndefined();
		expect(read(`${THOUGHTS}Nothing`)).toMatchObject({ problems: ['The reply contains no JSON with rows'] });
		const { run } = readReply(runOf(THOUGHTS), { operation: 'result', checksDone: true, rows: undefined }, shorten);
		expect(run.status).toBe('completed');
	});
});
