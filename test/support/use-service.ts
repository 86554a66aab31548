import { Service } from '../service/service';

/** The stand-in service for the tests of a file or of a `describe`: as new for each test, and itself free of problems. */
export function useService(
	user = { username: 'test-user', password: 'test-password' },
	apiKey = 'test-api-key',
): Service {
	const service = new Service(apiKey, user);
	beforeAll(async () => await service.listen(0));
	beforeEach(() => service.reset());
	afterEach(() => expect(service.violations).toEqual([]));
	afterAll(async () => await service.stop());
	return service;
}
