import { GROUPS, placeOf, planOf } from '../mutation/groups';

it.each(Object.keys(GROUPS))('the code and the tests of the group "%s" exist', (name) => {
	expect(planOf(name).ranges).not.toEqual([]);
});

it('a group of which not all lines are changed says so', () => {
	expect(placeOf('files')).toBe('`nodes/files`, one of 4 lines');
	expect(placeOf('run items')).toMatch(/^`nodes\/RunAutomation`/);
});
