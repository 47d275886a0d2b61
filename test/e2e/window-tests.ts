import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Tests } from '../support/vscode/suite.ts';
import { openWorkbench } from '../support/vscode/workbench.ts';
import { Window } from './window.ts';

const WORKSPACE = join(import.meta.dirname, '..', 'vscode', 'workspace');

/** What is done in a window. */
export type Use = (window: Window) => Promise<void>;

/** Tests by name; those with files have them in the folder before it is opened. */
export type UserTests = Readonly<Record<string, Use | (WindowOptions & { readonly use: Use })>>;

/** What is there before the window is. */
interface WindowOptions {
  readonly files: Files;
  /** Folders of the folder that are opened as a workspace; otherwise the folder is opened itself. */
  readonly roots?: readonly string[];
}

/** Texts by path in the folder. */
export type Files = Readonly<Record<string, string>>;

/** What all windows of a run share. */
export interface TestEnvironment {
  readonly browser: Browser;
  /** Where the VS Code server listens. */
  readonly port: number;
  /** Where the extension is installed. */
  readonly extensions: string;
  /** Where folders can be made that go with the run. */
  readonly scratch: string;
  readonly log: (line: string) => void;
}

/** Each test in a window of its own, on a folder of its own. */
export function windowTests(tests: UserTests, place: TestEnvironment): Tests {
  const all = Object.entries(tests).map(([name, test], at) => {
    const { use, ...opened } = 'use' in test ? test : { files: {}, use: test };
    const tried = (folder: string) => runInWindow(name, join(place.scratch, 'workspaces', folder), opened, use, place);
    const once = async (): Promise<void> => {
      try {
        await tried(`${at}`);
      } catch (error) {
        // A window on a busy machine may be late for a wait that has an end: what fails twice has failed.
        place.log(`# once more: ${name}: ${error}`);
        await tried(`${at}-again`);
      }
    };
    return [name, once] as const;
  });
  return Object.fromEntries(all);
}

async function runInWindow(
  name: string,
  folder: string,
  { files, roots }: WindowOptions,
  use: Use,
  place: TestEnvironment,
): Promise<void> {
  await cp(WORKSPACE, folder, { recursive: true });
  const workspace = roots && { 'all.code-workspace': JSON.stringify({ folders: roots.map((path) => ({ path })) }) };
  for (const [path, text] of Object.entries({ ...files, ...workspace })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const opened = roots ? join(folder, 'all.code-workspace') : folder;
  const page = await openWorkbench(place.browser, { port: place.port, folder: opened, extension: null });
  const window = new Window(page, folder, place.extensions);
  try {
    if (roots) await withFolders(page);
    // The extension is known before its menus are looked for.
    await page.getByRole('tab', { name: 'Turnwise' }).waitFor();
    await use(window);
  } finally {
    await window.picture(name);
    await page.context().close();
  }
}

/** Now and then a window in a browser reads its workspace before it has the files of the server, and has no folder then. */
async function withFolders(page: Page): Promise<void> {
  const none = page.getByText('No Folder Opened');
  await page.locator('.explorer-folders-view').getByRole('treeitem').or(none).first().waitFor();
  if (await none.isVisible()) await page.reload();
}
