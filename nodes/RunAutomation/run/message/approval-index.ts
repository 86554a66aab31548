// Finds the tool call of an approval, in a time that hardly grows with the number of calls.

interface Asking {
	approval?: Record<string, unknown>;
}

/** As in the AI SDK, a response is for the first call in the message that asks under its ID. */
export class ApprovalIndex<T extends Asking> {
	/**
	 * A binary heap for each ID: the call at half an index is earlier in the message. Calls that ask under another ID now
	 * stay in it.
	 */
	private readonly heaps = new Map<unknown, T[]>();
	private readonly places = new Map<T, number>();
	private readonly removed = new Set<T>();

	/** Call this for each call, in the message's order. */
	place(call: T): void {
		this.places.set(call, this.places.size);
	}

	remove(call: T): void {
		this.removed.add(call);
	}

	/** Call this before the call gets its approval. */
	ask(id: unknown, call: T): void {
		if (call.approval && call.approval.id === id) return;
		const heap = this.heaps.get(id) ?? [];
		this.heaps.set(id, heap);
		let index = heap.push(call) - 1;
		while (index > 0 && this.isBefore(call, heap[(index - 1) >> 1]!)) {
			heap[index] = heap[(index - 1) >> 1]!;
			index = (index - 1) >> 1;
		}
		heap[index] = call;
	}

	first(id: unknown): T | undefined {
		const heap = this.heaps.get(id) ?? [];
		while (heap.length > 0 && (this.removed.has(heap[0]!) || heap[0]!.approval?.id !== id)) this.dropFirst(heap);
		return heap[0];
	}

	private dropFirst(heap: T[]): void {
		const last = heap.pop()!;
		if (heap.length === 0) return;
		let index = 0;
		for (let child = 1; child < heap.length; child = 2 * index + 1) {
			if (child + 1 < heap.length && this.isBefore(heap[child + 1]!, heap[child]!)) child++;
			if (!this.isBefore(heap[child]!, last)) break;
			heap[index] = heap[child]!;
			index = child;
		}
		heap[index] = last;
	}

	private isBefore(one: T, other: T): boolean {
		return this.places.get(one)! < this.places.get(other)!;
	}
}
