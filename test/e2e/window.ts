import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { processesOf } from '../support/vscode/processes.ts';

const PICTURES = join(import.meta.dirname, '..', '..', 'test-results');

/** What a user sees and does in a window of VS Code. */
export class Window {
  readonly page: Page;
  /** Absolute path of the folder that is open. */
  readonly folder: string;
  readonly #extensions: string;

  constructor(page: Page, folder: string, extensions: string) {
    this.page = page;
    this.folder = folder;
    this.#extensions = extensions;
  }

  /** Ids of the processes in which the language server runs, those of other windows among them. */
  servers(): number[] {
    return processesOf(`${this.#extensions}/turnwise`).filter((id) => processesOf('dist/server.js').includes(id));
  }

  /** Right-clicks a file in the Explorer and presses Evaluate Trace; of several files, all of them are selected. */
  async evaluate(...files: readonly string[]): Promise<void> {
    for (const file of files.slice(1)) await this.explorerItem(file).click({ modifiers: ['ControlOrMeta'] });
    const [first = ''] = files;
    if (files.length > 1) await this.explorerItem(first).click({ modifiers: ['ControlOrMeta'] });
    await this.chooseFromMenu(this.explorerItem(first), 'Evaluate Trace');
  }

  /** Right-clicks something, and chooses from the menu that opens. */
  async chooseFromMenu(of: Locator, item: string): Promise<void> {
    await of.click({ button: 'right' });
    // A menu that has just opened ignores the mouse button for a moment, lest the click that opened it chooses.
    await this.page.getByRole('menuitem', { name: item, exact: true }).hover();
    await this.page.keyboard.press('Enter');
  }

  /** Opens a file, to be kept open. */
  async open(file: string): Promise<void> {
    await this.explorerItem(file).dblclick();
    await this.page.getByRole('tab', { name: file }).waitFor();
    await this.focusEditor();
  }

  /** Lets the keyboard go to the editor on the left, to where its cursor is. */
  async focusEditor(): Promise<void> {
    await this.page.keyboard.press('Control+1');
    await this.page.locator('.editor-instance .monaco-editor.focused').waitFor();
  }

  /** Moves the cursor of the editor to a line. */
  async goTo(line: number): Promise<void> {
    await this.page.keyboard.press('Control+G');
    await this.page.locator('.quick-input-widget input').first().fill(`:${line}`);
    await this.page.keyboard.press('Enter');
    await this.activeLine(line);
    await this.page.locator('.editor-instance .monaco-editor.focused').waitFor();
  }

  /** Has the list of actions open where the cursor is. An editor that has just got the focus may miss the key. */
  async quickFix(action: string): Promise<void> {
    const wanted = this.page.locator('.action-widget').getByText(action);
    for (let tries = 0; tries < 5 && !(await wanted.isVisible()); tries += 1) {
      await this.page.keyboard.press('Control+.');
      await wanted.waitFor({ timeout: 5000 }).catch(() => {});
    }
    await wanted.waitFor();
  }

  /** Writes the configuration of the folder. */
  async configure(configuration: object): Promise<void> {
    await writeFile(join(this.folder, 'turnwise.config.json'), JSON.stringify(configuration, null, 2));
  }

  /** A lens of the editor. */
  lens(words: string | RegExp): Locator {
    return this.page.locator('.codelens-decoration a').filter({ hasText: words });
  }

  /** A line of the editor, by what stands in it. */
  line(text: string): Locator {
    return this.page.locator('.editor-instance .view-line').filter({ hasText: text });
  }

  /** Waits until the clipboard holds it. */
  async clipboard(text: RegExp): Promise<void> {
    await this.page.waitForFunction(
      `navigator.clipboard.readText().then((held) => new RegExp(${JSON.stringify(text.source)}).test(held))`,
    );
  }

  /** Puts the cursor near the beginning of a line, which may be much wider than the editor. */
  async clickLine(text: string): Promise<void> {
    await this.line(text).click({ position: { x: 60, y: 8 } });
  }

  /** What the window shows, in `test-results`. */
  async picture(name: string): Promise<void> {
    const path = join(PICTURES, `${name.replace(/[^\w]+/g, '-').slice(0, 60)}.png`);
    await this.page.screenshot({ path });
  }

  /** Runs a command from the palette, by the beginning of its title. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press('F1');
    await this.page.locator('.quick-input-widget input').first().fill(`>${title}`);
    await this.page.locator('.quick-input-list').getByText(title).first().waitFor();
    await this.page.keyboard.press('Enter');
  }

  explorerItem(name: string): Locator {
    return this.page.locator('.explorer-folders-view').getByRole('treeitem', { name, exact: true });
  }

  /** A row of the results: the Explorer, or the editor's outline, may have one of the same name. */
  result(name: string | RegExp): Locator {
    return this.page.getByRole('tree', { name: 'Results', exact: true }).getByRole('treeitem', { name });
  }

  /** The row of a session in the tree of results. */
  session(name: string): Locator {
    return this.result(new RegExp(`^${name}, \\w+`));
  }

  /** Presses the button of a session's row that opens its report. @returns what is inside the panel. */
  async openReport(session: string): Promise<FrameLocator> {
    await this.session(session).hover();
    await this.session(session).getByRole('button', { name: 'Open Report' }).click();
    return this.report();
  }

  /** What is inside the panel of a report. */
  report(): FrameLocator {
    return this.page.frameLocator('iframe.webview').frameLocator('iframe#active-frame');
  }

  /** Waits until the cursor of an editor is in a line, whether or not the editor has the focus. */
  async activeLine(line: number): Promise<void> {
    const active = this.page.locator('.editor-instance .active-line-number');
    await active.getByText(String(line), { exact: true }).waitFor();
  }

  /** A notification, brought into sight. Under test, they stay behind the bell. */
  async notification(text: string): Promise<Locator> {
    const item = this.page.locator('.notification-list-item').filter({ hasText: text });
    await this.page.locator('[id="status.notifications"] .codicon-bell-dot').or(item).first().waitFor();
    // On a busy machine the bell may miss a click.
    if (!(await item.isVisible())) await this.command('Notifications: Show Notifications');
    await item.waitFor();
    return item;
  }

  /** Answers a notification with one of its buttons. */
  async answer(text: string, button: string): Promise<void> {
    const item = await this.notification(text);
    await item.getByRole('button', { name: button, exact: true }).click();
  }

  /**
   * Fills in an input box.
   *
   * @param text null: what is proposed.
   * @returns what was proposed, and the type of the box.
   */
  async input(title: string, text: string | null): Promise<{ proposed: string; type: string | null }> {
    const widget = this.page.locator('.quick-input-widget');
    await widget.getByText(title, { exact: true }).waitFor();
    const box = widget.locator('.quick-input-box input');
    const proposed = await box.inputValue();
    if (text !== null) await box.fill(text);
    const type = await box.getAttribute('type');
    await this.page.keyboard.press('Enter');
    await widget.getByText(title, { exact: true }).waitFor({ state: 'hidden' });
    return { proposed, type };
  }
}
