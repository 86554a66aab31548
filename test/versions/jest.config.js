// Runs tests on the compiled package, with the n8n that the environment names: see run.mjs.
const { existsSync } = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const base = require('../../jest.config');

const { PACKAGE_FOLDER: folder, N8N_FOLDER: n8n } = process.env;
const root = path.resolve(__dirname, '../..');
const isNewest = n8n === root;

const folderOf = (name) =>
	createRequire(path.join(n8n, 'package.json'))
		.resolve.paths(name)
		.map((modules) => path.join(modules, name))
		.find((found) => existsSync(found));

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
		'^n8n-core$': folderOf('n8n-core'),
		'^n8n-workflow$': folderOf('n8n-workflow'),
	},
	// The newest n8n evaluates expressions in a sandbox that the older ones do not have.
	setupFilesAfterEnv: isNewest ? base.setupFilesAfterEnv : ['<rootDir>/test/versions/older.ts'],
};
