/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code, never shipped */
import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = '.github/workflows';
const workflows = readdirSync(FOLDER).map((name) => ({ name, text: readFileSync(`${FOLDER}/${name}`, 'utf8') }));

/** The text of each job, without comments. */
function jobsOf(text: string): Map<string, string> {
	const [, jobs] = text.replace(/^\s*#.*\n/gm, '').split(/^jobs:\n/m);
	const [, ...parts] = jobs.split(/^ {2}([\w-]+):\n/m);
	return new Map(parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1]]] : [])));
}

const commandsIn = (job: string) =>
	[...job.matchAll(/^ *(?:- )?run: (.*(?:\n {10,}.*)*)/gm)].flatMap(([, run]) =>
		run
			.replace(/^\|\n/, '')
			.split('\n')
			.map((line) => line.trim()),
	);

const publish = jobsOf(workflows.find(({ name }) => name === 'publish.yml')!.text);

// A promise of SECURITY.md.
it('Only a tag on main is published, with a provenance statement, by a job that runs no code of the repository or its dependencies', () => {
	expect(publish.get('test')).toContain('uses: ./.github/workflows/ci.yml');
	expect(publish.get('build')).toContain('needs: test\n');
	expect(publish.get('build')).toContain('fetch-depth: 0');
	const commands = commandsIn(publish.get('build')!);
	expect(commands.slice(0, 2)).toEqual(['git merge-base --is-ancestor HEAD origin/main', 'npm ci']);
	expect(commands).toEqual(expect.arrayContaining([expect.stringContaining('"$GITHUB_REF_NAME" =')]));

	const job = publish.get('publish')!;
	expect(job).toContain('needs: build\n');
	const used = [...job.matchAll(/uses: ([^@\s]+)/g)].map(([, action]) => action);
	expect(used).toEqual(['actions/setup-node', 'actions/download-artifact']);
	expect(commandsIn(job)).toEqual([
		expect.stringMatching(/^test .*publishConfig.* = 0$/),
		expect.stringMatching(/^if \[ -n "\$NPM_TOKEN" \]; then npm config set \S+ "\$NPM_TOKEN"; fi$/),
		'npm publish ./*.tgz --ignore-scripts --provenance --access public',
	]);
});

it.each(workflows)('$name gives no other job a token, and pins every action', ({ name, text }) => {
	for (const [job, steps] of jobsOf(text)) {
		const mayPublish = name === 'publish.yml' && job === 'publish';
		expect([job, /id-token: write|NPM_TOKEN/.test(steps)]).toEqual([job, mayPublish]);
		for (const [, action] of steps.matchAll(/uses: (\S+)/g)) expect(action).toMatch(/^\.\/|@[\da-f]{40}$/);
	}
	expect(text.split(/^jobs:/m)[0]).toMatch(/^permissions:\n {2}contents: read\n/m);
});
