// npm run scan: runs the rules of the official package scanner on the sources and on the package as n8n installs it, and counts
// warnings as findings. The scanner's own command takes a published package only.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildScanConfig, SOURCE_FILE_PATTERNS } from '@n8n/scan-community-package/scanner/scanner.mjs';
import { ESLint } from 'eslint';
import { installPackage } from '../../demo/lib/package.mjs';

const home = mkdtempSync(path.join(tmpdir(), 'scan-'));
const [name] = (await installPackage(home)).split(' ');
const installed = path.join(home, '.n8n/nodes/node_modules', name);

const overrideConfig = await buildScanConfig();
let files = 0;
let findings = 0;
for (const [cwd, patterns] of [
	[process.cwd(), SOURCE_FILE_PATTERNS],
	[installed, ['**/*.js', 'package.json']],
]) {
	const eslint = new ESLint({ cwd, allowInlineConfig: false, overrideConfigFile: true, overrideConfig });
	for (const { filePath, messages } of await eslint.lintFiles(patterns)) {
		files++;
		for (const { line, message, ruleId } of messages) {
			console.log(`${path.relative(cwd, filePath)}:${line} ${message} (${ruleId})`);
			findings++;
		}
	}
}
rmSync(home, { recursive: true });
console.log(`The scanner looked at ${files} files: ${findings || 'no'} findings.`);
process.exitCode = findings === 0 ? 0 : 1;
