// What a node has as the tool of a model: its credential, fields that the model fills in, and columns.

export const credentials = { browserAutomationApi: { id: 'browserAutomation', name: 'Browser Automation' } };
export const fromModel = (name) => `={{ $fromAI('${name}', 'What the tool should do', 'string') }}`;
const types = Object.entries({ name: 'text', price: 'number' });
export const columns = { column: types.map(([name, type]) => ({ name, type })) };
