/** By the code of the error of n8n's client. Its own sentences may advise to send the request again, which can cost money. */
const CAUSES: Record<string, string> = {
	EAI_AGAIN: 'its host name could not be looked up',
	ECONNABORTED: 'it did not answer in time',
	ECONNREFUSED: 'the connection was refused',
	ECONNRESET: 'the connection was cut',
	EHOSTUNREACH: 'there is no way to its address',
	ENETUNREACH: 'there is no way to its address',
	ENOTFOUND: 'its host name is not known',
	EPIPE: 'the connection was cut',
	ETIMEDOUT: 'it did not answer in time',
};

/** Why no answer came, as the second half of a sentence; undefined where only the error's own words tell. */
export const noAnswerCause = (code: unknown): string | undefined => CAUSES[String(code)];

/** Why no answer came, as a sentence without its full stop. */
export function noAnswerReason({ code, message }: { code: unknown; message: string }): string {
	const cause = noAnswerCause(code);
	return cause ? `The service gave no answer: ${cause}` : message;
}
