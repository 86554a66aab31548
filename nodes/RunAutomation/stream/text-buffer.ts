/** Deltas joined at a time. A string grown delta by delta keeps every delta in memory until it is read. */
const DELTAS_PER_JOIN = 512;

/** A text that grows by many small deltas, in memory that depends on its length and not on the number of deltas. */
export class TextBuffer {
	private joined = '';

	private deltas: string[] = [];

	append(delta: string): void {
		this.deltas.push(delta);
		if (this.deltas.length === DELTAS_PER_JOIN) this.join();
	}

	toString(): string {
		this.join();
		return this.joined;
	}

	join(): void {
		this.joined += this.deltas.join('');
		this.deltas = [];
	}
}
