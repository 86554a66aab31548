// Tests of forms and the editor in an n8n, and a browser, that they share.
import { registerTogether } from './together.mjs';

await registerTogether(['editor', 'forms', 'jobs', 'credential']);
