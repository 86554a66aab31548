import { shorten } from '../values/shorten';
import { isUsedAsTool, withAdvice, type NodeError, type ReaderContext } from './node-error';

/** Characters of a run's text that an agent is told with an error. */
const MAX_TEXT = 2000;

export { isUsedAsTool };
export type ErrorContext = ReaderContext;

/**
 * The last step of every error: moves everything it says to the place that its reader sees. The editor shows message and description. An
 * AI agent sees the message only, so that it gets the advice and the text of the run there; a chat that n8n streams to
 * shows the description only, so that the reason goes there first.
 */
export function forReader<E extends NodeError>(context: ErrorContext, error: E): E {
	const everything = error.description ? withAdvice(error.message, error.description) : error.message;
	if (isUsedAsTool(context)) {
		const { text } = (error.context.data ?? {}) as { text?: unknown };
		const hasText = typeof text === 'string' && text !== '';
		error.message = hasText ? `${everything}. Text so far: ${JSON.stringify(shorten(text, MAX_TEXT))}` : everything;
	} else if (context.isStreaming?.()) {
		error.description = everything;
	}
	return error;
}
