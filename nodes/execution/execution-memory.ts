/** What of n8n's contexts tells which execution of which node this is. */
export interface ExecutionContext {
	getContext(type: 'node'): object;
}

/**
 * Where a node keeps, under a symbol, what all its tries and items in one execution share: n8n hands out the same object
 * on every try of *Retry On Fail*. Symbols are neither saved with the execution nor seen by expressions. n8n's own Agents
 * call a tool without an execution, and never try again: there, this is an object that nobody else gets.
 */
export function executionMemory(context: ExecutionContext): object {
	try {
		return context.getContext('node');
	} catch {
		return {};
	}
}
