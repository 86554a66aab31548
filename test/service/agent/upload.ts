import { scenarioNamedBy, streamed, type Run, type Scenario } from '../scenarios';
import { events, textRun } from '../streams';
import { asksWhetherDone, reasonFor } from './asked';

/** The names and links of the files that tasks list. */
const listedIn = (queries: string[]) =>
	queries.flatMap((query) =>
		[...query.matchAll(/^- ("(?:[^"\\]|\\.)*") \(.+\): (https?:\/\/\S+)$/gm)].map(([, name, link]) => ({ name, link })),
	);

/** Whether a thread has files for the agent. A task that names a scenario is not for it. */
export const isForUploadAgent = (queries: string[]) =>
	!scenarioNamedBy(queries.at(-1)!) && listedIn(queries).length > 0;

/** What the agent says: the first line of each file, and if the task asks for it, what stopped it. */
async function replyTo({ queries }: Run): Promise<string> {
	let said = '';
	for (const { name, link } of listedIn(queries)) {
		const response = await fetch(link);
		const text = await response.text();
		if (!response.ok) {
			const why = `The link to ${name} does not work: ${response.status} ${text}`;
			const query = queries.at(-1)!;
			const asked = asksWhetherDone(query) === 'line' ? `\nTASK NOT DONE: ${reasonFor(query, 'page_down', why)}` : '';
			return `${said}I could not open ${link} .\n${asked}`;
		}
		said += `I uploaded ${name} from ${link} . Its first line is: ${text.split('\n')[0]}\n`;
	}
	return said;
}

/** The agent for tasks with files. In the background it downloads them only when its thread is asked. */
export const uploadAgent: Scenario = {
	...streamed('downloads the files of the task', async function* (run) {
		yield* events(textRun(await replyTo(run)));
	}),
	detached: (_run, wire) => wire.detached(),
};
