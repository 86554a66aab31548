import { randomUUID } from 'node:crypto';

/** Who may get tokens. */
export interface User {
	username: string;
	password: string;
}

interface Token {
	expiresAt: number;
	usesLeft: number;
	revoked: boolean;
}

/** An answer of the token endpoint. */
export interface TokenReply {
	status: number;
	body: Record<string, unknown>;
	headers: Record<string, string>;
}

const DEFAULTS = { lifetimeSeconds: 3600, uses: Infinity, onlyNewest: false, bornRevoked: false };

/** The tokens of the main interface: RFC 6749, sections 4.3 and 5. */
export class Tokens {
	/** Seconds after which a token that is issued from now on expires. */
	lifetimeSeconds = DEFAULTS.lifetimeSeconds;

	/** Number of requests after which a token that is issued from now on expires. */
	uses = DEFAULTS.uses;

	/** Whether a new token ends the ones before it. */
	onlyNewest = DEFAULTS.onlyNewest;

	/** Whether a token that is issued from now on is good for nothing. */
	bornRevoked = DEFAULTS.bornRevoked;

	private readonly all = new Map<string, Token>();

	constructor(private readonly user: User) {}

	/** Every token that was issued, the newest at the end. */
	get issued(): string[] {
		return [...this.all.keys()];
	}

	/** Ends a token before its time; the newest one, if none is named. */
	revoke(token = this.issued.at(-1)) {
		const found = this.all.get(token ?? '');
		if (!found) throw new Error('There is no such token');
		found.revoked = true;
	}

	/** Forgets all tokens and switches. */
	reset() {
		this.all.clear();
		Object.assign(this, DEFAULTS);
	}

	/** Uses a token for one request; tells why it cannot be used, or undefined if it can. */
	use(token: string): string | undefined {
		const found = this.all.get(token);
		if (!found) return 'Invalid or missing API key';
		if (found.revoked) return 'The token was revoked';
		if (Date.now() >= found.expiresAt || found.usesLeft <= 0) return 'The token has expired';
		found.usesLeft--;
		return undefined;
	}

	/** Answers a request to the token endpoint. */
	answer(method: string, contentType: unknown, text: string): TokenReply {
		if (method !== 'POST') return { status: 405, body: { detail: 'Method Not Allowed' }, headers: { Allow: 'POST' } };
		if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(String(contentType ?? ''))) {
			return refusal('invalid_request', 'The content type must be application/x-www-form-urlencoded');
		}
		const form = new URLSearchParams(text);
		const names = [...form.keys()];
		if (new Set(names).size < names.length) return refusal('invalid_request', 'A parameter is there twice');
		const missing = ['grant_type', 'username', 'password'].find((name) => !form.get(name));
		if (missing === 'grant_type') return refusal('invalid_request', 'grant_type is missing');
		if (form.get('grant_type') !== 'password') return refusal('unsupported_grant_type', 'Only password is supported');
		if (missing) return refusal('invalid_request', `${missing} is missing`);
		if (form.get('scope')) return refusal('invalid_scope', 'There are no scopes');
		if (form.get('username') !== this.user.username || form.get('password') !== this.user.password) {
			return refusal('invalid_grant', 'Incorrect user name or password');
		}
		return { status: 200, body: this.issue(), headers: NOT_STORED };
	}

	private issue() {
		if (this.onlyNewest) this.all.forEach((token) => (token.revoked = true));
		const name = `token-${randomUUID()}`;
		this.all.set(name, {
			expiresAt: Date.now() + this.lifetimeSeconds * 1000,
			usesLeft: this.uses,
			revoked: this.bornRevoked,
		});
		return { access_token: name, token_type: 'bearer', expires_in: this.lifetimeSeconds };
	}
}

/** RFC 6749, section 5.1. */
const NOT_STORED = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

/** RFC 6749, section 5.2. */
const refusal = (error: string, description: string): TokenReply => ({
	status: 400,
	body: { error, error_description: description },
	headers: NOT_STORED,
});
