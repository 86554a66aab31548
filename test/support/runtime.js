const { Script } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

// Jest makes modules in a way that Node calls experimental.
const emitWarning = process.emitWarning.bind(process);
process.emitWarning = (warning, type, ...more) => type !== 'ExperimentalWarning' && emitWarning(warning, type, ...more);

/** The compiled files of packages, by path: jest keeps none, and n8n has 9 MB that every test file would compile anew. */
const scripts = new Map();
/** Of the test file that runs now: a script outlives the one that compiled it. */
let current;

/**
 * n8n's sandbox of expressions hands its values to Node's own realm. Only there does n8n recognize them as plain objects, and makes
 * dates of Luxon of them.
 */
const judgesSandbox = (file) => /expression-runtime\/dist\/cjs\/runtime\/transfer\.js$/.test(file);

function compilePackage(source, file, parameters) {
	const importModuleDynamically = (specifier, _script, attributes) =>
		current.dynamicImport(specifier, file, current.environment.getVmContext(), attributes);
	return new Script(`(function (${parameters.join(', ')}) {${source}\n})`, { filename: file, importModuleDynamically });
}

/**
 * Jest's runtime, which reads and compiles the files of packages once in a process. Each test file still executes them in
 * a context of its own. What is replaced is internal to jest: after an update, `npm test` tells whether it still fits.
 */
module.exports = class extends Runtime {
	constructor(...settings) {
		super(...settings);
		const { executor } = this;
		current = executor;
		const { transformCache } = executor;
		const transform = transformCache.transform.bind(transformCache);
		const compile = executor.compile.bind(executor);
		transformCache.transform = (file, options) => (scripts.has(file) ? '' : transform(file, options));
		executor.compile = (source, file) => {
			const context = executor.environment.getVmContext();
			if (!context || !file.includes('/node_modules/')) return compile(source, file);
			try {
				if (!scripts.has(file)) scripts.set(file, compilePackage(source, file, executor.injectedModuleParameters));
			} catch {
				// What is wrong with it, or that it is an ES module, is for jest to say.
				return compile(source, file);
			}
			const script = scripts.get(file);
			return judgesSandbox(file) ? script.runInThisContext() : script.runInContext(context);
		};
	}
};
