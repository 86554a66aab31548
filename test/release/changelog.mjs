// Called by release-it with the version of a release: what is under "Unreleased" in the changelog is now under this version.
import { readFileSync, writeFileSync } from 'node:fs';

const [version] = process.argv.slice(2);
const text = readFileSync('CHANGELOG.md', 'utf8');
const released = text.replace(/^## Unreleased$/m, `## ${version}`);
if (released === text && !text.includes(`\n## ${version}\n`)) {
	console.error('CHANGELOG.md says nothing of this release: describe the changes under the heading "Unreleased".');
	process.exitCode = 1;
} else writeFileSync('CHANGELOG.md', released);
