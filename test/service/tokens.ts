import { randomUUID } from 'node:crypto';

/** Who may get tokens. */
export interface User {
	username: string;
	password: string;
}

/** The tokens of the main interface: RFC 6749, sections 4.3 and 5. */
export class Tokens {
	/** Number of requests after which a token that is issued from now on expires. */
	uses = Infinity;

	/** Whether a new token ends the ones before it. */
	onlyNewest = false;

	/** Whether a token that is issued from now on is good for nothing. */
	bornRevoked = false;

	private readonly all = new Map<string, { usesLeft: number; revoked: boolean }>();

	constructor(private readonly user: User) {}

	/** Every token that was issued, the newest at the end. */
	get issued(): string[] {
		return [...this.all.keys()];
	}

	/** Ends the newest token before its time. */
	revoke() {
		this.all.get(this.issued.at(-1)!)!.revoked = true;
	}

	/** Uses a token for one request; tells why it cannot be used, or undefined if it can. */
	use(token: string): string | undefined {
		const found = this.all.get(token);
		if (!found) return 'Invalid or missing API key';
		if (found.revoked) return 'The token was revoked';
		return found.usesLeft-- > 0 ? undefined : 'The token has expired';
	}

	/** The status and body of the response to a request for a token, by the form that it holds. */
	answer(form: string): [status: number, body: object] {
		const { grant_type: grant, username, password } = Object.fromEntries(new URLSearchParams(form));
		const isKnown = grant === 'password' && username === this.user.username && password === this.user.password;
		const refusal = { error: 'invalid_grant', error_description: 'Incorrect user name or password' };
		return isKnown ? [200, this.issue()] : [400, refusal];
	}

	private issue() {
		if (this.onlyNewest) this.all.forEach((token) => (token.revoked = true));
		const name = `token-${randomUUID()}`;
		this.all.set(name, { usesLeft: this.uses, revoked: this.bornRevoked });
		return { access_token: name, token_type: 'bearer', expires_in: 3600 };
	}
}
