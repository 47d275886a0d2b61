import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Browser, FrameLocator, Locator, Page } from 'playwright-core';
import { processesOf } from '../support/vscode/processes.ts';
import type { Tests } from '../support/vscode/suite.ts';
import { openWorkbench } from '../support/vscode/workbench.ts';

const PICTURES = join(import.meta.dirname, '..', '..', 'test-results');
const WORKSPACE = join(import.meta.dirname, '..', 'vscode', 'workspace');

/** What is done in a window. */
export type Use = (window: Window) => Promise<void>;

/** Tests by name; those with files have them in the folder before it is opened. */
export type UserTests = Readonly<Record<string, Use | { readonly files: Files; readonly use: Use }>>;

/** Texts by path in the folder. */
export type Files = Readonly<Record<string, string>>;

/** What all windows of a run share. */
export interface Place {
  readonly browser: Browser;
  /** Where the VS Code server listens. */
  readonly port: number;
  /** Where the extension is installed. */
  readonly extensions: string;
  /** Where folders can be made that go with the run. */
  readonly scratch: string;
}

/** Each test in a window of its own, on a folder of its own. */
export function inWindows(tests: UserTests, place: Place): Tests {
  const all = Object.entries(tests).map(([name, test], at) => {
    const { files, use } = 'use' in test ? test : { files: {}, use: test };
    const folder = join(place.scratch, 'workspaces', `${at}`);
    return [name, () => inWindow(name, folder, files, use, place)] as const;
  });
  return Object.fromEntries(all);
}

async function inWindow(name: string, folder: string, files: Files, use: Use, place: Place): Promise<void> {
  await cp(WORKSPACE, folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const page = await openWorkbench(place.browser, { port: place.port, folder, extension: null });
  try {
    // The extension is known before its menus are looked for.
    await page.getByRole('tab', { name: 'Turnwise' }).waitFor();
    await use(new Window(page, folder, place.extensions));
  } finally {
    await mkdir(PICTURES, { recursive: true });
    await page.screenshot({ path: join(PICTURES, `${name.replace(/[^\w]+/g, '-').slice(0, 60)}.png`) });
    await page.context().close();
  }
}

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

  /** Right-clicks a file in the Explorer and presses Evaluate Trace. */
  async evaluate(file: string): Promise<void> {
    await this.explorerItem(file).click({ button: 'right' });
    // A menu that has just opened ignores the mouse button for a moment, lest the click that opened it chooses.
    await this.page.getByRole('menuitem', { name: 'Evaluate Trace' }).hover();
    await this.page.keyboard.press('Enter');
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

  /** The row of a session in the tree of results. */
  session(name: string): Locator {
    return this.page.getByRole('treeitem', { name: new RegExp(`^${name}, \\w+`) });
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
