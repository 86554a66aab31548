/** What is known of a run, as its error shows it in the editor under *Error data*. */
export function errorData(error?: { context: Record<string, unknown> }): Record<string, unknown> {
	const { data, details } = error?.context ?? {};
	return (data ?? details ?? {}) as Record<string, unknown>;
}
