// Runs the rules of the official package scanner on the sources and on the unpacked tarball, and counts warnings as
// findings: the scanner's own command takes a published package only. Usage: node test/package/scan.mjs <tarball>
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildScanConfig, SOURCE_FILE_PATTERNS } from '@n8n/scan-community-package/scanner/scanner.mjs';
import { ESLint } from 'eslint';

const [tarball] = process.argv.slice(2);
const unpacked = mkdtempSync(path.join(tmpdir(), 'scan-'));
const { status } = spawnSync('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);
if (status !== 0) throw new Error(`Could not unpack ${tarball}`);

const overrideConfig = await buildScanConfig();
let findings = 0;
for (const [name, cwd, patterns] of [
	['sources', process.cwd(), SOURCE_FILE_PATTERNS],
	['tarball', unpacked, ['**/*.js', 'package.json']],
]) {
	const eslint = new ESLint({ cwd, allowInlineConfig: false, overrideConfigFile: true, overrideConfig });
	const results = await eslint.lintFiles(patterns);
	for (const { filePath, messages } of results) {
		for (const { line, message, ruleId } of messages) {
			console.log(`${name}: ${path.relative(cwd, filePath)}:${line} ${message} (${ruleId})`);
			findings++;
		}
	}
	console.log(`${name}: ${results.length} files looked at`);
}
console.log(`${findings} findings`);
process.exitCode = findings === 0 ? 0 : 1;
