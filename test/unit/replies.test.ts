import { readNotDone } from '../../nodes/RunAutomation/rows/not-done';
import { readRows } from '../../nodes/RunAutomation/rows/read-rows';
import { resultReplies, rowsReplies } from './replies';

const columns = (['text', 'number'] as const).map((type) => {
	return { name: type === 'text' ? 'name' : 'price', type, isRequired: false, description: '' };
});

function meaningOf(texts: string[]): string {
	const { rows, problems, notDone } = readRows(texts, { columns, isSingle: false });
	const found = rows.map(({ name, price }) => `${String(name)} ${String(price)}`).join('; ');
	const fitting = [found, problems.length ? '?' : ''].filter(Boolean).join(' ');
	return [notDone && `! ${notDone}`, fitting].filter(Boolean).join(' | ');
}

it.each(resultReplies)('the result %j is read as a person reads it: %j', (reply, person, node = person) => {
	expect(readNotDone(reply).reason ?? '').toBe(node);
});

it.each(rowsReplies)('the rows %j are read as a person reads them: %j', (reply, person, node = person) => {
	expect(meaningOf([reply].flat())).toBe(node);
});

it('most replies are read as a person reads them', () => {
	const all = [...resultReplies, ...rowsReplies];
	expect(all.length).toBeGreaterThanOrEqual(150);
	expect(all.filter(([, , node]) => node !== undefined).length).toBeLessThanOrEqual(21);
});
