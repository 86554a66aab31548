// Finds the name that was meant: models and schemas write "unitPrice" or "Unit Price" for "unit_price".

import { nameKey } from '../../shared/values/text';

const columnKey = (name: string): string =>
	nameKey(name)
		.toUpperCase()
		.replace(/[\s_-]/g, '');

const KEYS = [(name: string) => name, nameKey, columnKey];

/** Names are compared exactly, then by Unicode form and blanks, then by letters and digits. */
export class Names {
	/** A map for each entry of `KEYS`. Undefined means that several names fit. */
	private readonly byKey: Array<Map<string, string | undefined>>;
	private readonly known = new Map<string, string | undefined>();

	constructor(all: readonly string[]) {
		this.byKey = KEYS.map((keyOf) => {
			const names = new Map<string, string | undefined>();
			for (const name of all) names.set(keyOf(name), names.has(keyOf(name)) ? undefined : name);
			return names;
		});
	}

	find(written: string): string | undefined {
		if (this.byKey[0]!.has(written)) return written;
		if (!this.known.has(written)) this.known.set(written, this.search(written));
		return this.known.get(written);
	}

	private search(written: string): string | undefined {
		const place = KEYS.findIndex((keyOf, index) => this.byKey[index]!.has(keyOf(written)));
		return this.byKey[place]?.get(KEYS[place]!(written));
	}
}

export const findLoosely = (names: readonly string[], written: string): string | undefined =>
	new Names(names).find(written);
