// Runs the rules of the official package scanner on the sources and on the unpacked package, and counts warnings as
// findings: the scanner's own command takes a published package only. Usage: node test/package/scan.mjs <folder>
import path from 'node:path';
import { buildScanConfig, SOURCE_FILE_PATTERNS } from '@n8n/scan-community-package/scanner/scanner.mjs';
import { ESLint } from 'eslint';

const overrideConfig = await buildScanConfig();
let findings = 0;
for (const [cwd, patterns] of [
	[process.cwd(), SOURCE_FILE_PATTERNS],
	[path.resolve(process.argv[2]), ['**/*.js', 'package.json']],
]) {
	const eslint = new ESLint({ cwd, allowInlineConfig: false, overrideConfigFile: true, overrideConfig });
	for (const { filePath, messages } of await eslint.lintFiles(patterns)) {
		for (const { line, message, ruleId } of messages) {
			console.log(`${path.relative(cwd, filePath)}:${line} ${message} (${ruleId})`);
			findings++;
		}
	}
}
console.log(`${findings} findings`);
process.exitCode = findings === 0 ? 0 : 1;
