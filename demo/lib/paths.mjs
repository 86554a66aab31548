import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where n8n is installed: `fill` in install.mjs writes its package.json. */
export const demo = fileURLToPath(new URL('../installed', import.meta.url));

/**
 * Where the n8n of the demo keeps its database, its keys and its community packages. Inside node_modules, because n8n writes
 * hundreds of scripts there, which the lint would read.
 */
export const home = fileURLToPath(new URL('../installed/node_modules/.n8n-home', import.meta.url));
