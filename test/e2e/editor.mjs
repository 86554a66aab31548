// The editor of a real n8n in a headless Chromium, worked through n8n's own test hooks (data-test-id). Page actions only:
// what must come of them is said by the tests.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, selectors } from 'playwright-core';
import { program } from './program.mjs';

selectors.setTestIdAttribute('data-test-id');

const PATIENCE_MS = 60_000;
const SIZE = { width: 1280, height: 800 };
const FLAGS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** Starts Chromium with an empty profile. */
export const launchChromium = async () =>
	await chromium.launch({ executablePath: program('chromium', 'chromium'), args: FLAGS });

/**
 * Opens a page that is logged in to n8n.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {{ url: string, cookie: string, folder: string, theme?: 'light' | 'dark' }} options `folder` takes the
 *   screenshots; `cookie` is what the login gave
 */
export async function openEditor(browser, { url, cookie, folder, theme = 'light' }) {
	const context = await browser.newContext({ viewport: SIZE, colorScheme: theme });
	context.setDefaultTimeout(PATIENCE_MS);
	const cookies = cookie.split('; ').map((pair) => {
		const [name, ...value] = pair.split('=');
		return { name, value: value.join('='), url };
	});
	await context.addCookies(cookies);
	mkdirSync(folder, { recursive: true });
	return new Editor(await context.newPage(), url, folder);
}

const exactly = (text) => new RegExp(`^\\s*${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*$`);

/** One page of the editor. */
class Editor {
	/** @param {import('playwright-core').Page} page */
	constructor(page, url, folder) {
		this.page = page;
		this.url = url;
		this.folder = folder;
	}

	at(id, inside = this.page) {
		return inside.getByTestId(id);
	}

	get outputPanel() {
		return this.at('output-panel');
	}

	/** Takes a picture of the page or of a part of it, without what floats above it. */
	async shoot(name, { of = this.page, folder = this.folder, height = SIZE.height, ...options } = {}) {
		await this.page.setViewportSize({ ...SIZE, height });
		// Wherever the mouse rests, things light up.
		await this.page.mouse.move(0, 0);
		const style =
			'.el-notification, [data-test-id="floating-node"], [data-test-id^="execute-workflow-button"], .vue-flow__panel { visibility: hidden !important }';
		await of.screenshot({
			path: join(folder, `${name}.png`),
			animations: 'disabled',
			caret: 'hide',
			style,
			...options,
		});
		await this.page.setViewportSize(SIZE);
	}

	/** Waits until an image is there, and gives its address and its width. */
	async loadedImage(image) {
		return await image.evaluate(async (element) => {
			await element.decode();
			return { src: element.src, width: element.naturalWidth };
		});
	}

	// The canvas

	async newWorkflow() {
		await this.page.goto(`${this.url}/workflow/new`);
		await this.at('canvas-add-button').waitFor();
	}

	async openWorkflow(id) {
		await this.page.goto(`${this.url}/workflow/${id}`);
		await this.at('canvas-node').first().waitFor();
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
		const room = 24;
		const boxes = await this.page.locator('.vue-flow__node').evaluateAll((elements) =>
			elements.map((element) => {
				const { left, top, right, bottom } = element.getBoundingClientRect();
				return { left, top, right, bottom };
			}),
		);
		const x = Math.min(...boxes.map(({ left }) => left)) - room;
		const y = Math.min(...boxes.map(({ top }) => top)) - room;
		// Names stand below their nodes.
		const width = Math.max(...boxes.map(({ right }) => right)) + room - x;
		const height = Math.max(...boxes.map(({ bottom }) => bottom)) + 1.5 * room - y;
		return { x, y, width, height };
	}

	async fitCanvas() {
		await this.at('zoom-to-fit').click();
	}

	async executeWorkflow() {
		await this.at('execute-workflow-button').click();
	}

	// Adding nodes

	/** Opens the list of nodes and types into its search. */
	async searchNodes(text) {
		await this.at('node-creator-plus-button').click();
		await this.at('node-creator-search-bar').fill(text);
	}

	/** The node or action of the list with exactly this name. */
	listed(name) {
		return this.at('node-creator-item-name', this.at('node-creator')).filter({ hasText: exactly(name) });
	}

	/** Waits until the list shows a name, and gives all that it shows. */
	async namesListedWith(name) {
		await this.listed(name).waitFor();
		return await this.at('node-creator-item-name', this.at('node-creator')).allInnerTexts();
	}

	async pick(name) {
		await this.listed(name).click();
	}

	// The form of a node

	async openNode(name) {
		await this.closeNode();
		await this.nodeOnCanvas(name).dblclick();
		await this.at('node-parameters').waitFor();
	}

	async openSettings() {
		await this.at('tab-settings').click();
	}

	async openParameters() {
		await this.at('tab-params').click();
	}

	async closeNode() {
		const close = this.at('ndv-close-button');
		if (await close.isVisible()) await close.click();
		await this.at('ndv').waitFor({ state: 'hidden' });
	}

	parameter(name) {
		return this.at(`parameter-input-${name}`);
	}

	/** @param {number} index of several fields with this name, as in a list of columns */
	async choose(parameter, label, index = 0) {
		await this.parameter(parameter).nth(index).click();
		const choice = this.at('parameter-input-item').filter({ visible: true });
		await choice.filter({ has: this.page.locator('.option-headline', { hasText: exactly(label) }) }).click();
		await choice.first().waitFor({ state: 'hidden' });
	}

	/** @param {number} index of several fields with this name, as in a list of columns */
	async fill(parameter, text, index = 0) {
		const field = this.parameter(parameter).nth(index).locator('input, textarea, .cm-content').first();
		if ((await field.getAttribute('contenteditable')) === null) return await field.fill(text);
		await field.click();
		await this.page.keyboard.press('Control+a');
		await this.page.keyboard.insertText(text);
	}

	async toggle(parameter) {
		await this.parameter(parameter).click();
	}

	/** Adds a column to the list of columns. */
	async addColumn() {
		await this.at('fixed-collection-add').click();
	}

	// Running a node

	async startStep() {
		await this.at('node-execute-button').click();
	}

	/** Runs the open node, which has not run before, and waits for its end. */
	async executeStep() {
		await this.startStep();
		await this.at('node-run-status-success').or(this.at('node-run-status-danger')).waitFor();
	}

	/** Reads the output of the open node, as the panel shows it. */
	async output() {
		return await this.onTallPage(async () => {
			await this.showOutputAs('json');
			const tree = this.outputPanel.locator('.vjs-tree');
			await tree.waitFor();
			// The lines are indented with a blank that JSON does not know.
			return JSON.parse((await tree.innerText()).replace(/^\u00a0+/gm, ''));
		});
	}

	/** Does something while the page is so tall that a long list is in sight: n8n makes no more of it than that. */
	async onTallPage(action) {
		await this.page.setViewportSize({ ...SIZE, height: 2000 });
		try {
			return await action();
		} finally {
			await this.page.setViewportSize(SIZE);
		}
	}

	async showOutputAs(view) {
		await this.at(`radio-button-${view}`, this.outputPanel).click();
	}

	/** What the panel of the open node tells beside its output. */
	async hints() {
		return (await this.at('node-hint', this.outputPanel).allInnerTexts()).map((text) => text.trim());
	}

	/** The reason and the description of an error, as the panel shows them. */
	async error() {
		const message = await this.at('node-error-message', this.outputPanel).innerText();
		const description = await this.at('node-error-description', this.outputPanel).innerText();
		return { message: message.trim(), description: description.trim() };
	}

	/** The names of the fields that n8n expects from the node before the open one, which has not run yet. */
	async previewedFields() {
		return await this.onTallPage(async () => {
			const panel = this.at('ndv-input-panel');
			await this.at('schema-preview-warning', panel).waitFor();
			// This comes last.
			await panel.getByText('Variables and context').waitFor();
			const fields = this.at('run-data-schema-item', panel).getByTestId('run-data-schema-node-name');
			return (await fields.allInnerTexts()).map((text) => text.trim());
		});
	}

	// Credentials

	get credentialDialog() {
		return this.at('editCredential-modal');
	}

	/** Opens the form of a new credential from the open node. */
	async newCredential() {
		await this.at('node-credentials-select').click();
		await this.at('node-credentials-select-item-new').filter({ visible: true }).click();
		await this.credentialDialog.waitFor();
	}

	/** The ways to log in that the form of a new credential offers; n8n shows them there, not in the form of the node. */
	async waysToLogIn() {
		await this.at('credential-mode-dropdown-trigger').click();
		const ways = this.page.getByRole('menu').filter({ visible: true }).getByRole('menuitem');
		await ways.first().waitFor();
		return ways;
	}

	/** Opens the credential of the open node, which n8n then tests. */
	async editCredential() {
		await this.at('credential-edit-button').click();
		await this.credentialDialog.waitFor();
	}

	async saveCredential() {
		await this.at('credential-save-button').click();
	}

	/** Closes the form of a credential that is saved. */
	async closeCredential() {
		await this.credentialDialog.locator('.el-dialog__headerbtn').click();
		await this.credentialDialog.waitFor({ state: 'hidden' });
	}

	// The chat

	get chat() {
		return this.at('canvas-chat');
	}

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
