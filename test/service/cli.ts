/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console -- test code, never shipped */
import { parseArgs } from 'node:util';
import { TASKS } from './agent/books';
import { scenarios } from './scenarios';
import { Service } from './service';

const HELP = `npm run service -- [options]

  --port N    Port of the mock service on localhost (4010)
  --key K     API key that it accepts (by default, it prints one)
  -h, --help  Print these options`;

/** `npm run service -- [--port N] [--key K]`: the service, to try the nodes by hand. */
async function main() {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '4010' },
			key: { type: 'string' },
			help: { type: 'boolean', short: 'h' },
		},
	});
	if (values.help) return console.log(HELP);
	const service = new Service(values.key);
	await service.listen(Number(values.port));
	console.log(`Base URL:       ${service.baseUrl}`);
	console.log(`Automation URL: ${service.automationUrl}`);
	console.log(`API key:        ${service.apiKey}`);
	console.log(`User name:      ${service.user.username}`);
	console.log(`Password:       ${service.user.password}`);
	console.log('\nSample tasks:');
	for (const [, example] of TASKS) console.log(`  ${example}`);
	console.log('\nTo see how the nodes behave, begin the task with one of these words:');
	for (const [name, { description }] of Object.entries(scenarios)) console.log(`  ${name.padEnd(10)} ${description}`);
	const stop = () => void service.stop();
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
}

main().catch(({ code, message }: NodeJS.ErrnoException) => {
	console.error(code === 'EADDRINUSE' ? `${message}. Choose another port: npm run service -- --port 4011` : message);
	process.exitCode = 1;
});
