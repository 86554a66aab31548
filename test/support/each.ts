/** A row of a table for each of some inputs that have the same expectations behind them. */
export const each = <V, T extends unknown[]>(inputs: V[], ...expected: T) =>
	inputs.map((input): [V, ...T] => [input, ...expected]);
