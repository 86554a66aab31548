import { events, finish, runStream, streamHeaders, textChunks } from '../engine/serve-stream';
import { THREAD } from '../engine/thread-of';
import { usePauses } from '../support/clock';
import { letRead } from '../support/let-read';

usePauses();

const ROWS = '{"rows":[{"a":1}]}';
const form = { operation: 'rows', columns: { column: [{ name: 'a', type: 'number' }] } };
const [opened, delta, closed] = textChunks(ROWS);
const stream = `${events({ type: 'start' }, opened, delta, closed, finish)}data: [DONE]\n\n`;
const placeOf = (piece: string) => stream.indexOf(piece);

it.each<[string, number, boolean]>([
	['before its first byte', 0, false],
	['in its first chunk', placeOf('start"') + 2, false],
	['in the text', placeOf('\\"rows') + 4, false],
	['behind the text', placeOf(']}') + 2, false],
	['behind the chunk with the text', events({ type: 'start' }, opened, delta).trimEnd().length, false],
	['in the chunk that ends the run', placeOf('finish') + 3, false],
	['before the last line', placeOf('data: [DONE]'), true],
	['in the last line', placeOf('[DONE]') + 2, true],
])(
	'a run cut %s is no result unless it said how it ended, and is not started again',
	async (_where, end, isComplete) => {
		let starts = 0;
		const { items, error } = await runStream((_task, response) => {
			starts++;
			response.writeHead(200, streamHeaders(THREAD)).flushHeaders();
			response.write(stream.slice(0, end) || ':', () => void letRead().then(() => response.destroy()));
		}, form);
		expect([starts, items.map(({ json }) => json)]).toEqual([1, isComplete ? [{ a: 1 }] : []]);
		if (isComplete) expect(error).toBeUndefined();
		else expect(error?.context.data).toMatchObject({ status: 'interrupted', thread_id: THREAD });
	},
);
