/** What is known of a run, as its error shows it in the editor under *Error data*. */
export const errorData = (error?: { context: Record<string, unknown> }): Record<string, unknown> =>
	(error?.context.data ?? {}) as Record<string, unknown>;
