import { scenarioNamedBy, streamed, type Run, type Scenario } from '../scenarios';
import { events, textRun } from '../streams';
import { asksWhetherDone, reasonFor } from './asked';

/** A file that a task lists with its link. */
interface ListedFile {
	name: string;
	link: string;
}

const listedIn = (queries: string[]): ListedFile[] =>
	queries.flatMap((query) =>
		[...query.matchAll(/^- ("(?:[^"\\]|\\.)*") \(.+\): (https?:\/\/\S+)$/gm)].map(([, name, link]) => ({ name, link })),
	);

/** Whether a thread has files for the agent. A task that names a scenario is not for it. */
export const isForUploadAgent = (queries: string[]) =>
	!scenarioNamedBy(queries.at(-1)!) && listedIn(queries).length > 0;

/** Downloads a file, and returns its first line, or why there is none. */
async function download({ link }: ListedFile): Promise<{ firstLine: string } | { reason: string }> {
	const response = await fetch(link);
	const text = await response.text();
	return response.ok ? { firstLine: text.split('\n')[0] } : { reason: `${response.status} ${text}` };
}

/** What the agent says: the first line of each file, and if the task asks for it, what stopped it. */
async function replyTo({ queries }: Run): Promise<string> {
	let said = '';
	for (const file of listedIn(queries)) {
		const found = await download(file);
		if ('reason' in found) {
			const why = `The link to ${file.name} does not work: ${found.reason}`;
			const query = queries.at(-1)!;
			const asked = asksWhetherDone(query) === 'line' ? `\nTASK NOT DONE: ${reasonFor(query, 'page_down', why)}` : '';
			return `${said}I could not open ${file.link} .\n${asked}`;
		}
		said += `I uploaded ${file.name} from ${file.link} . Its first line is: ${found.firstLine}\n`;
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
