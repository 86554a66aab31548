// The editor of a real n8n in a headless Chromium, worked through n8n's own test hooks (data-test-id). Page actions only:
// what must come of them is said by the tests.
import { join } from 'node:path';
import { chromium, selectors } from 'playwright-core';
import { PATIENCE_MS, until } from './instance.mjs';
import { program } from './program.mjs';

selectors.setTestIdAttribute('data-test-id');

const SIZE = { width: 1280, height: 800 };

/**
 * Starts Chromium with an empty profile, and opens a page that is logged in to n8n. The density is the number of pixels of a
 * screenshot for each pixel of the page, in both directions.
 */
export async function openEditor({ url, cookie }, density = 1) {
	const browser = await chromium.launch({ executablePath: program('chromium'), timeout: PATIENCE_MS });
	const context = await browser.newContext({
		viewport: SIZE,
		deviceScaleFactor: density,
		// Without a graphics card, animations take the time of the processor.
		reducedMotion: 'reduce',
	});
	context.setDefaultTimeout(PATIENCE_MS);
	const cookies = cookie.split('; ').map((pair) => pair.split(/=(.*)/s, 2));
	await context.addCookies(cookies.map(([name, value]) => ({ name, value, url })));
	return new Editor(await context.newPage(), url);
}

/** What a tree of n8n shows; undefined as long as it is not whole. */
function jsonIn(text) {
	try {
		// The lines are indented with a blank that JSON does not know.
		return JSON.parse(text.replace(/^\u00a0+/gm, ''));
	} catch {
		return undefined;
	}
}

const exactly = (text) => new RegExp(`^\\s*${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*$`);

/** One page of the editor. */
class Editor {
	constructor(page, url) {
		const [outputPanel, chat] = [page.getByTestId('output-panel'), page.getByTestId('canvas-chat')];
		Object.assign(this, { page, url, outputPanel, chat, credentialDialog: page.getByTestId('editCredential-modal') });
	}

	at(id, inside = this.page) {
		return inside.getByTestId(id);
	}

	/**
	 * Takes a screenshot of the page, at another size if one is given, or of a part of it, without what floats above it. `area` measures
	 * the part at that size.
	 */
	async shoot(folder, name, { of = this.page, area, ...size } = {}) {
		await this.page.setViewportSize({ ...SIZE, ...size });
		// Wherever the mouse rests, things light up.
		await this.page.mouse.move(0, 0);
		// The button in the banner of a credential has its text only below the mouse, and n8n's own field does not fit in.
		const floating =
			'[data-test-id="credentials-config-container-test-success"] button, [data-test-id="allowedHttpRequestDomains"], .el-notification, [data-test-id="floating-node"], [class*="_executionButtons_"], [data-test-id^="execute-workflow-button"], .vue-flow__panel';
		const style = `${floating} { visibility: hidden !important }`;
		const path = join(folder, `${name}.png`);
		const clip = area && { clip: await area() };
		await of.screenshot({ path, animations: 'disabled', caret: 'hide', style, ...clip });
		await this.page.setViewportSize(SIZE);
	}

	/** The part of the page from the upper edge of one element to the lower edge of another, as wide as a third. */
	async areaBetween(first, last, around, { above = 0, below = 0 } = {}) {
		const [top, bottom, frame] = await Promise.all([first, last, around].map(async (one) => await one.boundingBox()));
		const y = top.y - above;
		// Whole pixels: a screenshot is rounded up otherwise.
		const [x, width] = [Math.round(frame.x), Math.round(frame.width)];
		return { x, y: Math.round(y), width, height: Math.round(bottom.y + bottom.height + below - y) };
	}

	// The canvas

	async openWorkflow(id) {
		await this.page.goto(`${this.url}/workflow/${id}`);
		const shown = this.at(id === 'new' ? 'canvas-add-button' : 'canvas-node');
		await shown.first().waitFor();
	}

	/** Imports a file into the open workflow, by two entries of its menu. */
	async importFile(path, menu, entry) {
		await this.at('workflow-menu').first().click();
		await this.page.getByText(menu, { exact: true }).first().click();
		const opened = this.page.waitForEvent('filechooser');
		await this.page.getByText(entry, { exact: true }).click();
		await (await opened).setFiles(path);
	}

	/** Imports a file as a new workflow, saves it, and gives its ID. An open editor makes the workflow: loading a page takes seconds. */
	async importAsNew(path) {
		const create = this.at('universal-add');
		if ((await create.count()) === 0) await this.openWorkflow('new');
		else {
			await create.click();
			await this.page.getByText('New workflow', { exact: true }).click();
			await this.at('canvas-add-button').waitFor();
		}
		await this.importFile(path, 'Import', 'From file');
		await this.at('canvas-node').first().waitFor();
		await this.page.keyboard.press('Control+s');
		const stored = () => {
			const { pathname, searchParams } = new URL(this.page.url());
			return !searchParams.has('new') && pathname.split('/').at(-1);
		};
		return await until('n8n has stored the workflow', stored);
	}

	nodeOnCanvas(name) {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	/** Waits until a node has run without an error. */
	async succeeded(name) {
		await this.at('canvas-node-status-success', this.nodeOnCanvas(name)).waitFor();
	}

	/** Where the nodes and notes of the workflow stand on the page, with some room around them. */
	async workflowArea() {
		await this.fitCanvas();
		const room = 24;
		const boxes = await this.page
			.locator('.vue-flow__node')
			.evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect().toJSON()));
		// The bolt of a trigger stands left of it.
		const x = Math.min(...boxes.map(({ left }) => left)) - 2 * room;
		const y = Math.min(...boxes.map(({ top }) => top)) - room;
		// Names and subtitles stand below their nodes.
		const width = Math.max(...boxes.map(({ right }) => right)) + room - x;
		const height = Math.max(...boxes.map(({ bottom }) => bottom)) + 2.25 * room - y;
		return { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) };
	}

	/** The zoom at which n8n shows an imported workflow, the nodes that are not in sight, and the notes that show only a part of their text. */
	async look() {
		const zoom = await this.page
			.locator('.vue-flow__transformationpane')
			.evaluate((pane) => new DOMMatrix(getComputedStyle(pane).transform).a);
		const outside = await this.page.locator('.vue-flow__node').evaluateAll((elements) =>
			elements.flatMap((element) => {
				const { left, top, right, bottom } = element.getBoundingClientRect();
				return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight ? [] : [element.innerText];
			}),
		);
		const cutNotes = await this.page.locator('.vue-flow__node .n8n-sticky').evaluateAll((elements) =>
			elements.flatMap((element) => {
				const text = document.createRange();
				text.selectNodeContents(element);
				const isCut = text.getBoundingClientRect().bottom > element.getBoundingClientRect().bottom;
				return isCut ? [element.innerText] : [];
			}),
		);
		return { zoom, outside, cutNotes };
	}

	async fitCanvas() {
		await this.at('zoom-to-fit').click();
	}

	/** Publishes the open workflow, once n8n has stored it, and gives its ID. */
	async publish(label) {
		await this.at('workflow-open-publish-modal-button')
			.filter({ hasText: exactly(label) })
			.click();
		const button = this.at('workflow-publish-button');
		await button.click();
		await button.waitFor({ state: 'hidden' });
		return new URL(this.page.url()).pathname.split('/').at(-1);
	}

	// Adding nodes

	/** Opens the list of nodes and types into its search. */
	async searchNodes(text) {
		await this.at('node-creator-plus-button').click();
		await this.at('node-creator-search-bar').fill(text);
	}

	/** The names in the list of nodes or actions. */
	listed() {
		return this.at('node-creator-item-name', this.at('node-creator'));
	}

	/** Waits until the list of nodes or actions is as expected: n8n fills it bit by bit, and the list before fades out meanwhile. */
	async lists(what, isExpected) {
		return await until(`the list shows ${what}`, async () => isExpected(await this.listed().allInnerTexts()));
	}

	/** Picks the node or action with exactly this name from the list, once it is shown. */
	async pick(name) {
		await this.listed()
			.filter({ hasText: exactly(name) })
			.click();
	}

	// The form of a node

	async openNode(name) {
		await this.nodeOnCanvas(name).dblclick();
		await this.at('node-parameters').waitFor();
	}

	async closeNode() {
		await this.at('ndv-close-button').click();
		await this.at('ndv').waitFor({ state: 'hidden' });
	}

	parameter(name) {
		return this.at(`parameter-input-${name}`);
	}

	/** The index is that of several fields with this name, as in a list of columns. */
	async choose(parameter, label, index = 0) {
		await this.parameter(parameter).nth(index).click();
		const choice = this.at('parameter-input-item').filter({ visible: true });
		await choice.filter({ has: this.page.locator('.option-headline', { hasText: exactly(label) }) }).click();
		await choice.first().waitFor({ state: 'hidden' });
	}

	async fill(parameter, text, index = 0) {
		const field = this.parameter(parameter).nth(index).locator('input, textarea, .cm-content').first();
		if ((await field.getAttribute('contenteditable')) === null) return await field.fill(text);
		await field.click();
		await this.page.keyboard.press('Control+a');
		await this.page.keyboard.insertText(text);
	}

	/** Runs the open node, which has not run before, waits for its end, and gives its output as the panel shows it. */
	async executeStep() {
		await this.at('node-execute-button').click();
		await this.at('node-run-status-success').waitFor();
		// n8n makes no more of a long list than what is in sight.
		await this.page.setViewportSize({ ...SIZE, height: 2000 });
		await this.at('radio-button-json', this.outputPanel).click();
		const tree = this.outputPanel.locator('.vjs-tree');
		const output = await until('the output is shown as a whole', async () => jsonIn(await tree.innerText()));
		await this.page.setViewportSize(SIZE);
		return output;
	}

	// Data Tables

	/** Makes a table on the page that an entry of the open node leads to. */
	async createTable(parameter, label, tableName, columns) {
		await this.parameter(parameter).click();
		const opened = this.page.context().waitForEvent('page');
		await this.at('rlc-item-add-resource').filter({ hasText: label }).click();
		const page = await opened;
		await page.getByTestId('data-table-name-input-select').fill(tableName);
		await page.getByTestId('proceed-from-select-button').click();
		for (const { name, type } of columns) {
			await page.getByTestId('data-table-add-column-trigger-button').first().click();
			const form = page.getByTestId('add-column-popover-content');
			await form.getByTestId('add-column-name-input').fill(name);
			if (type !== 'string') {
				await form.getByRole('combobox').click();
				await page.getByRole('option', { name: type }).click();
			}
			await form.getByTestId('data-table-add-column-submit-button').click();
			await page
				.getByTestId('data-table-grid')
				.getByTestId('inline-edit-preview')
				.filter({ hasText: exactly(name) })
				.waitFor();
		}
		await page.close();
	}

	/** Chooses an entry of a field that fetches its list from n8n. */
	async chooseFromList(parameter, name) {
		const search = this.at('rlc-search').filter({ visible: true });
		if ((await search.count()) === 0) await this.parameter(parameter).click();
		await search.waitFor();
		await this.page.keyboard.insertText(name);
		await this.at('rlc-item').filter({ hasText: name }).click();
	}

	// Credentials

	/** Opens the form of the first credential of its kind from the open node. */
	async firstCredential(label) {
		await this.at('node-credentials-empty-state').getByRole('button', { name: label }).click();
		await this.credentialDialog.waitFor();
	}

	/** Opens the form of a new credential from the open node, if there are others. */
	async newCredential() {
		await this.at('node-credentials-select').click();
		await this.at('node-credentials-select-item-new')
			.filter({ visible: true, hasText: 'Create new credential' })
			.click();
		await this.credentialDialog.waitFor();
	}

	// The chat

	/** Opens the chat and draws its upper edge to the middle of the page. */
	async openChat() {
		await this.at('workflow-chat-button').click();
		const { x, y, width } = await this.chat.boundingBox();
		await this.page.mouse.move(x + width / 2, y);
		await this.page.mouse.down();
		await this.page.mouse.move(x + width / 2, SIZE.height / 2, { steps: 5 });
		await this.page.mouse.up();
	}

	async say(message) {
		await this.chat.locator('textarea').fill(message);
		await this.page.keyboard.press('Enter');
	}
}
