// All tests that one n8n is enough for, in one process. Each file can also be run alone: node --test <file>.
for (const name of ['loaded', 'examples', 'waiting', 'chat', 'agent', 'editor', 'credential'])
	await import(`./${name}.test.mjs`);
