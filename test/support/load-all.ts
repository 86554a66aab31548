// What the nodes load only when they are executed: the first test would load it otherwise, and the mutation run would take what
// stands at the top of these files for something that only that test runs.
import '../../nodes/BrowserAutomation/execute/batch';
import '../../nodes/RunAutomation/execute/batch';
import '../../credentials/request-token';
