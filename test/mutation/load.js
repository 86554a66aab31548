// What nodes and credentials import only when they are executed: here before all tests. Otherwise a change of what a file does
// when it is loaded would be tried with the one test that loads it first.
require('../../nodes/BrowserAutomation/routing/execute');
require('../../nodes/RunAutomation/run-all-items');
require('../../nodes/token/request-token');
