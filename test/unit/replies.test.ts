import fc from 'fast-check';

import { BLOCKERS, readNotDone } from '../../nodes/RunAutomation/rows/not-done';
import { readRows } from '../../nodes/RunAutomation/rows/read-rows';
import { fuzz } from './fuzz';
import { resultReplies, rowsReplies } from './replies';

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
	expect(all.filter(([, , node]) => node !== undefined).length).toBeLessThanOrEqual(28);
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

	it('none with a reason is read as one without it, whatever stands around it', () => {
		fc.assert(
			fc.property(paragraphs, fc.oneof(line, object), paragraphs, (before, [expected, text], after) => {
				expect(read([...before, text, ...after].join('\n\n'))).toEqual([expected, expected]);
			}),
			fuzz(500),
		);
	});
});
