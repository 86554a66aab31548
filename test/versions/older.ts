/* eslint-disable @n8n/community-nodes/no-restricted-globals -- test code, never shipped */
// The older versions of n8n-core never end the timer of their SSH clients, and jest would wait for it.
const start = globalThis.setInterval;
globalThis.setInterval = ((...args: Parameters<typeof start>) => start(...args).unref()) as typeof start;
