// Runs test files in the realm of the process itself, so that they can share n8n's engine, which takes seconds to load:
// jest-circus-with-bail.js loads packages outside of jest, once for all changes. The tests after a failed one are left out.
const vm = require('node:vm');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

// Jest compiles every file for the context of its environment, and imports into it. Without this no file would load: Node
// takes the realm of the process for no context.
const { compileFunction, constants } = vm;
vm.compileFunction = (code, parameters, { parsingContext, ...options }) => {
	const ofProcess = { ...options, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER };
	// A file of ours that is imported when it is needed would be Node's, without jest and its changes: it is required.
	const required = code.replace(/\bimport\((?=["']\.)/g, 'require(');
	return compileFunction(
		required,
		parameters,
		parsingContext === globalThis ? ofProcess : { ...options, parsingContext },
	);
};

module.exports = class {
	global = globalThis;

	moduleMocker = new ModuleMocker(globalThis);

	// What jest replaces, and does not give back: a spy of fake timers is taken back after the timers are.
	before = { console, setTimeout, exit: process.exit, getBuiltinModule: process.getBuiltinModule };

	hasFailed = false;

	constructor({ projectConfig: config }) {
		Object.assign(globalThis, config.globals);
		// Timers of the global itself are replaced together with those of `node:timers`, by which tests and servers go on.
		const global = new Proxy(globalThis, { get: (target, name) => target[name] });
		this.fakeTimersModern = new ModernFakeTimers({ config, global });
	}

	async setup() {}

	async teardown() {
		const { console, setTimeout, ...ofProcess } = this.before;
		Object.assign(globalThis, { console, setTimeout });
		Object.assign(process, ofProcess);
		// Jest would go on telling this environment of the tests of the next file.
		delete globalThis[Symbol.for('EVENT_HANDLERS')];
	}

	handleTestEvent({ name, test }) {
		if (name === 'test_fn_failure') this.hasFailed = true;
		if (name === 'test_start' && this.hasFailed) test.mode = 'skip';
	}

	exportConditions = () => ['node', 'node-addons'];

	getVmContext = () => globalThis;
};
