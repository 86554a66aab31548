import { createHash } from 'node:crypto';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The ID of a thread by a name of its own, such as its task: always the same UUID. An ID is its own. */
export function threadOf(name: string): string {
	if (name === '' || UUID.test(name)) return name;
	const [, item, run = '9575'] = /^thread-(\d+)(?:-(\d+))?$/.exec(name) ?? [];
	if (item !== undefined) return `8f14e45f-ceea-467f-${run.padStart(4, '0')}-${item.padStart(12, '0')}`;
	const hash = createHash('md5').update(name).digest('hex');
	return hash.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The task of a run that needs no other, and the ID of its thread. */
export const THREAD = '8f14e45f-ceea-467f-9575-000000000001';

/** The ID of the thread that `serveStarts` gives a start of an item: the first one, unless said. */
export const startedThread = (item: number, start = 0) => threadOf(`thread-${item}-${start}`);
