// All tests that one n8n is enough for, in one process. Each file can also be run alone: node --test <file>.
import './examples.test.mjs';
import './chat.test.mjs';
import './agent.test.mjs';
import './editor.test.mjs';
import './credential.test.mjs';
