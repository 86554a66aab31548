/** What the test that goes on is waiting for. */
const awaited = new Set<string>();

afterEach(() => {
	const missing = [...awaited];
	awaited.clear();
	if (missing.length > 0) throw new Error(`The test ended, but not yet: ${missing.join(', ')}`);
});

/** Waits for something that happens soon. There is no limit but that of the test, after which its report names what is missing. */
export async function happens<T>(what: string, event: Promise<T>): Promise<T> {
	awaited.add(what);
	return await event.finally(() => awaited.delete(what));
}
