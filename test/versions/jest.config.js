// Runs tests on the compiled package, with the n8n-core that the environment names: see run.mjs.
const path = require('node:path');
const base = require('../../jest.config');

const root = path.resolve(__dirname, '../..');
const newest = path.join(root, 'node_modules/n8n-core');
const { PACKAGE_FOLDER: folder, CORE_FOLDER: core = newest } = process.env;

/** @type {import('jest').Config} */
module.exports = {
	...base,
	rootDir: root,
	testMatch: [...base.testMatch, '**/test/versions/packed-package.ts'],
	// Adds operations to the sources, which the bundles do not have.
	testPathIgnorePatterns: ['/node_modules/', 'recipes\\.test\\.ts$'],
	moduleNameMapper: {
		// The bundles of the package instead of the sources that they are made of.
		'^(?:\\.\\./)+((?:nodes|credentials)/.+\\.(?:node|credentials))(?:\\.ts)?$': path.join(folder, 'dist/$1'),
		// One copy of each, for every file: n8n compares classes.
		'^n8n-core$': core,
		'^n8n-workflow$': require.resolve('n8n-workflow', { paths: [core] }),
	},
	// The newest n8n evaluates expressions in a sandbox that the older ones do not have.
	setupFilesAfterEnv: core === newest ? base.setupFilesAfterEnv : ['<rootDir>/test/versions/older.ts'],
};
