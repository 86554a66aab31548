// What a task says about its reply, in the words that the nodes add to it.

/** One column that a task asks for. */
export interface Column {
	name: string;
	/** As the task names it. */
	type: string;
}

/** Where a task ends and the text about the form of the reply begins. */
const REPLY_FORM = /^(?:.*\breply with\b.*\bJSON\b|Only if something stopped you)/m;

/** The task itself. A complaint about the last reply is none: it quotes what the agent said. */
export const wordsOf = (query: string) =>
	/^Your last reply is invalid/.test(query) ? '' : query.slice(0, REPLY_FORM.exec(query)?.index);

/** How a task asks the agent to say if it could not do it: in its JSON, in a line of its text, or not at all. */
export const asksWhetherDone = (query: string): 'json' | 'line' | undefined =>
	query.includes('"not_done"') ? 'json' : query.includes('TASK NOT DONE:') ? 'line' : undefined;

/** What stopped the agent, with a word in brackets if the task asks for one. */
export const reasonFor = (query: string, what: string, why: string) =>
	query.includes('[<what>]') ? `[${what}] ${why}` : why;

/** What a task says about the form of the reply. */
export function replyForm(query: string): { columns: Column[]; one: boolean } {
	const form = query.slice(REPLY_FORM.exec(query)?.index ?? query.length);
	const [schema = '{}'] = /^\{"[^]*?\}$/m.exec(form.slice(form.indexOf('this JSON Schema:'))) ?? [];
	const { properties = {} } = JSON.parse(schema) as { properties?: Record<string, { type?: string }> };
	return {
		columns: Object.entries(properties).map(([name, { type = '' }]) => ({ name, type })),
		one: /exactly one row/i.test(form),
	};
}
