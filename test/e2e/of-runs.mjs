// Tests of runs in an n8n that they share.
import { registerTogether } from './together.mjs';

const calls = ['chat', 'agent', 'agents', 'mcp'];
await registerTogether(['examples', 'waiting', 'upload', 'broken', 'standstill', ...calls, 'loaded', 'install']);
