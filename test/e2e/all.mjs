// All tests that one n8n is enough for, in one process. Each file can also be run alone: node --test <file>.
// The first takes longer than the others need to register their tests: n8n is stopped once no test is left.
const runs = ['examples', 'waiting', 'chat', 'agent', 'agents', 'mcp', 'traces'];
for (const name of [...runs, 'editor', 'credential', 'loaded', 'install']) await import(`./${name}.test.mjs`);
