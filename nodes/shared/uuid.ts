const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID, as thread IDs are (contract, section 2.3). */
export const isUuid = (text: string): boolean => UUID.test(text);
