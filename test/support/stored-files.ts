/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { BinaryDataConfig, BinaryDataService } from 'n8n-core';
import type { IBinaryData } from 'n8n-workflow';

// n8n-core's own copy, in which it has put its services.
const { Container } = jest.requireActual<typeof import('@n8n/di')>(
	require.resolve('@n8n/di', { paths: [require.resolve('n8n-core')] }),
);

/**
 * Has n8n-core store files for the tests of a file or of a `describe`, as n8n 2 does by default. Not with the workflows that old
 * versions of n8n run.
 */
export function useStoredFiles() {
	const keepIn = (mode: 'filesystem' | 'default') => async () => {
		Container.get(BinaryDataConfig).mode = mode;
		await service().init();
	};
	beforeAll(keepIn('filesystem'));
	// In the memory, as in every other test: some run in one process.
	afterAll(keepIn('default'));
}

const service = () => Container.get(BinaryDataService);

export const contentOf = async (file: IBinaryData) => String(await service().getAsBuffer(file));

/** Stores a file as a trigger does. */
export async function storedFile(content: string, about: Partial<IBinaryData>): Promise<IBinaryData> {
	const file = { data: '', mimeType: 'text/plain', ...about } as IBinaryData;
	const place = { type: 'execution', workflowId: 'test-workflow', executionId: 'temp' } as const;
	return (await service().store(place, Buffer.from(content), file)) as IBinaryData;
}

/** Deletes a stored file, as n8n does with that of a trigger when the execution ends. */
export const deleteFile = async ({ id }: IBinaryData) => await service().deleteManyByBinaryDataId([id!]);

/** Opens a link to a file, as n8n's server does. */
export async function openLink(link: string) {
	const { searchParams } = new URL(link);
	const token = searchParams.get('token')!;
	const id = service().validateSignedToken(token);
	const { exp, iat } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString()) as Record<string, number>;
	const { mimeType: type } = await service().getMetadata(id);
	return { id, type, content: await contentOf({ id, data: '', mimeType: '' }), seconds: exp - iat };
}
