/** What the test that goes on is waiting for, and how to give up. */
const awaited = new Map<string, (error: Error) => void>();

afterEach(() => {
	const missing = [...awaited];
	awaited.clear();
	const error = new Error(`The test ended, but not yet: ${missing.map(([what]) => what).join(', ')}`);
	for (const [, giveUp] of missing) giveUp(error);
	if (missing.length > 0) throw error;
});

/** Waits for something that happens soon. There is no limit but that of the test, after which its report names what is missing. */
export async function happens<T>(what: string, event: Promise<T>): Promise<T> {
	const givenUp = new Promise<never>((_resolve, reject) => awaited.set(what, reject));
	return await Promise.race([event, givenUp]).finally(() => awaited.delete(what));
}
