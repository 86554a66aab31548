/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- a program for a terminal */
import { growthOf, type Row } from './growth';
import { rows } from './rows';

// npm run growth: whether the work for all that is read grows with its size alone. Not a part of `npm test`, because it measures time.

/** The check itself: a reader that is quadratic on purpose falls short. */
const PLANTED: Row = {
	name: 'a planted reader that looks at all that was read before, for each character',
	work: (size) => {
		let looks = 0;
		for (let end = 1; end <= size; end++) for (let at = 0; at < end; at++) looks += at & 1;
		if (looks < 0) throw new Error('Nothing is less than 0');
	},
	size: 1500,
};

const counts = { failed: 0, passed: 0 };

function check(row: Row, isPlanted: boolean): void {
	const { step, fallsShort } = growthOf(row);
	const isRight = fallsShort === isPlanted;
	counts[isRight ? 'passed' : 'failed']++;
	const [small, large] = [step.small, step.large].map((milliseconds) => milliseconds.toFixed(1));
	const figures = `${small} ms at ${step.size}, ${large} ms at ${4 * step.size}: × ${step.ratio.toFixed(1)}`;
	console.log(`${isRight ? '✔' : '✖'} ${row.name}: ${figures}`);
}

check(PLANTED, true);
for (const row of rows()) check(row, false);
console.log(`Tests: ${counts.failed} failed, ${counts.passed} passed`);
process.exitCode = counts.failed > 0 ? 1 : 0;
