import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { processesOf } from '../support/vscode/processes.ts';

const CLI = join(import.meta.dirname, '..', '..', 'dist', 'cli.js');
const PICTURES = join(import.meta.dirname, '..', '..', 'test-results');

/** A window of VS Code, as a user sees and operates it. */
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

  /** Ids of the language server processes of all windows. */
  servers(): number[] {
    return processesOf(`${this.#extensions}/turnwise`).filter((id) => processesOf('dist/server.js').includes(id));
  }

  /** Selects files in the Explorer, right-clicks the first and chooses Evaluate Trace. */
  async evaluate(...files: readonly string[]): Promise<void> {
    for (const file of files.slice(1)) await this.explorerItem(file).click({ modifiers: ['ControlOrMeta'] });
    const [first = ''] = files;
    if (files.length > 1) await this.explorerItem(first).click({ modifiers: ['ControlOrMeta'] });
    await this.chooseFromMenu(this.explorerItem(first), 'Evaluate Trace');
  }

  /** Right-clicks an element and chooses a menu item. */
  async chooseFromMenu(target: Locator, item: string): Promise<void> {
    await target.click({ button: 'right' });
    // A menu ignores the mouse button just after it opens, so that the click that opened it chooses nothing.
    await this.page.getByRole('menuitem', { name: item, exact: true }).hover();
    await this.page.keyboard.press('Enter');
  }

  /** Opens a file in a tab that stays open. */
  async open(file: string): Promise<void> {
    await this.explorerItem(file).dblclick();
    // The tab of a report has the name of the file too.
    await this.page.locator(`.tab.active[data-resource-name="${file}"]`).waitFor();
    await this.focusEditor();
  }

  /** Focuses the editor on the left. */
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

  /** Opens the Quick Fix menu at the cursor. An editor that has just received the focus may miss the key. */
  async quickFix(action: string): Promise<void> {
    const item = this.page.locator('.action-widget').getByText(action);
    for (let tries = 0; tries < 5 && !(await item.isVisible()); tries += 1) {
      await this.page.keyboard.press('Control+.');
      await item.waitFor({ timeout: 5000 }).catch(() => {});
    }
    await item.waitFor();
  }

  /** A CodeLens. */
  lens(words: string | RegExp): Locator {
    return this.page.locator('.codelens-decoration a').filter({ hasText: words });
  }

  /** A line of the editor that contains the text. */
  line(text: string): Locator {
    return this.page.locator('.editor-instance .view-line').filter({ hasText: text });
  }

  /** Waits until the text of the clipboard matches. */
  async clipboard(text: RegExp): Promise<void> {
    await this.page.waitForFunction(
      `navigator.clipboard.readText().then((text) => new RegExp(${JSON.stringify(text.source)}).test(text))`,
    );
  }

  /** Puts the cursor near the beginning of a line, which may be much wider than the editor. */
  async clickLine(text: string): Promise<void> {
    await this.line(text).click({ position: { x: 60, y: 8 } });
  }

  /** Saves a screenshot of the window, or of a part of it in pixels, in `test-results`. */
  async picture(name: string, part?: Readonly<Record<'x' | 'y' | 'width' | 'height', number>>): Promise<void> {
    const path = join(PICTURES, `${name.replace(/[^\w]+/g, '-').slice(0, 60)}.png`);
    await this.page.screenshot({ path, ...(part && { clip: part }) });
  }

  /** Runs a command from the palette, by the beginning of its title. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press('F1');
    await this.page.locator('.quick-input-widget input').first().fill(`>${title}`);
    await this.page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: title }).waitFor();
    await this.page.keyboard.press('Enter');
  }

  explorerItem(name: string): Locator {
    return this.page.locator('.explorer-folders-view').getByRole('treeitem', { name, exact: true });
  }

  /** Runs the command line in the folder, with the data folder of the editor, as in its terminal. Its gates may fail. */
  async turnwise(...args: readonly string[]): Promise<void> {
    const env = { ...process.env, TURNWISE_HOME: join(dirname(this.#extensions), 'turnwise') };
    const child = spawn(process.execPath, [CLI, ...args], { cwd: this.folder, env, stdio: 'ignore' });
    const [code] = await once(child, 'exit');
    if (code !== 0 && code !== 1) throw new Error(`turnwise ${args.join(' ')}: exit code ${code}`);
  }

  /** Writes a file of the folder. */
  async write(file: string, text: string): Promise<void> {
    await writeFile(join(this.folder, file), text);
  }

  /** A row of the Runs view. */
  run(name: RegExp): Locator {
    return this.page.getByRole('tree', { name: 'Runs', exact: true }).getByRole('treeitem', { name });
  }

  /** A row of the Results view; the Explorer or the Outline may have a row with the same name. */
  result(name: string | RegExp): Locator {
    return this.page.getByRole('tree', { name: 'Results', exact: true }).getByRole('treeitem', { name });
  }

  /** The row of a session in the Results view. */
  session(name: string): Locator {
    return this.evaluated(new RegExp(`^${name}(\\.\\w+)*, \\w+`));
  }

  /** A row whose sessions are known: until then, the row of a file opens no report. */
  evaluated(name: string | RegExp): Locator {
    return this.result(name).filter({ hasNotText: /not evaluated yet|no session/ });
  }

  /** Shows the location of a row of the Results view in its file. */
  async openJson(row: Locator): Promise<void> {
    const button = row.getByRole('button', { name: 'Open JSON' });
    // A row that moves away from under the pointer, while results arrive, hides its button: point again.
    for (let attempt = 0; attempt < 5 && !(await button.isVisible()); attempt += 1) {
      await this.page.mouse.move(600, 20);
      await row.hover();
      await button.waitFor({ timeout: 5000 }).catch(() => {});
    }
    await button.click();
  }

  /** Clicks the row of a session. @returns the content of the panel. */
  async openReport(session: string): Promise<FrameLocator> {
    await this.session(session).click();
    // The tooltip of the row would cover the report.
    await this.page.mouse.move(0, 0);
    return this.report();
  }

  /** The content of a report panel. */
  report(): FrameLocator {
    return this.page.frameLocator('iframe.webview').frameLocator('iframe#active-frame');
  }

  /** Waits until the cursor of an editor is in a line, whether or not the editor has the focus. */
  async activeLine(line: number): Promise<void> {
    const active = this.page.locator('.editor-instance .active-line-number');
    await active.getByText(String(line), { exact: true }).waitFor();
  }

  /** Shows a notification: under test, they stay in the notification center. */
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
   * @param text null accepts the default value.
   * @returns the default value, and the type of the box.
   */
  async input(title: string, text: string | null): Promise<{ initial: string; type: string | null }> {
    const widget = this.page.locator('.quick-input-widget');
    await widget.getByText(title, { exact: true }).waitFor();
    const box = widget.locator('.quick-input-box input');
    const initial = await box.inputValue();
    if (text !== null) await box.fill(text);
    const type = await box.getAttribute('type');
    await this.page.keyboard.press('Enter');
    await widget.getByText(title, { exact: true }).waitFor({ state: 'hidden' });
    return { initial, type };
  }
}
