import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Remembers what was imported into an n8n, because every import starts n8n's command line. Holds only as long as nothing
 * else has written to the database since: whoever changes the workflow in the editor gets the example back.
 *
 * @param {string} userFolder the N8N_USER_FOLDER of the n8n
 * @param {object[]} contents what is to be in its database
 * @returns {{ isUpToDate: () => boolean, remember: () => void }}
 */
export function storedIn(userFolder, contents) {
	const stamp = join(userFolder, '.imported');
	const hash = createHash('sha256').update(JSON.stringify(contents)).digest('hex');
	const fingerprint = () => [hash, ...databaseFiles(userFolder).map(versionOf)].join(' ');
	return {
		isUpToDate: () => existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint(),
		remember: () => writeFileSync(stamp, fingerprint()),
	};
}

/** SQLite's file, and the one that it writes changes to first. */
const databaseFiles = (userFolder) =>
	['database.sqlite', 'database.sqlite-wal'].map((name) => join(userFolder, '.n8n', name));

function versionOf(file) {
	const found = statSync(file, { throwIfNoEntry: false });
	return found ? `${found.size}-${found.mtimeMs}` : 'none';
}
