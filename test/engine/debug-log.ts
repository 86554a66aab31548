/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
import './env';

// The tests are silent otherwise.
process.env.N8N_LOG_LEVEL = 'debug';
