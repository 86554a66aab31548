/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */

/** Gives what a promise gives, or after a limit throws an error that names what has not ended. */
export async function within<T>(seconds: number, what: string, given: Promise<T>): Promise<T> {
	let timer: NodeJS.Timeout;
	const limit = new Promise<never>((_resolve, reject) => {
		timer = setTimeout(() => reject(new Error(`${what}: not over after ${seconds} s`)), seconds * 1000);
	});
	return await Promise.race([given, limit]).finally(() => clearTimeout(timer));
}
