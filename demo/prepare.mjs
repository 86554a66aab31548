// Installs the n8n of the demo, which takes minutes the first time, and does nothing else.
import { printFailure } from './lib/failure.mjs';
import { installN8n } from './lib/install.mjs';

try {
	await installN8n((note) => console.log(note));
} catch (error) {
	printFailure(error);
	process.exitCode = 1;
}
