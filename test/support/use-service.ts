import { Service } from '../service/service';
import type { User } from '../service/tokens';

/** The mock service for the tests of a file or of a `describe`: as new for each test, and itself free of problems. */
export function useService(user?: User, apiKey?: string): Service {
	const service = new Service(apiKey, user);
	beforeAll(async () => await service.listen());
	beforeEach(() => service.reset());
	afterEach(() => expect(service.violations).toEqual([]));
	afterAll(async () => await service.stop());
	return service;
}
