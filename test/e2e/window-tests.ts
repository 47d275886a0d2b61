import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Tests } from '../support/vscode/suite.ts';
import { openWorkbench } from '../support/vscode/workbench.ts';
import { Window } from './window.ts';

const WORKSPACE = join(import.meta.dirname, '..', 'vscode', 'workspace');

/** The body of a test. */
export type Use = (window: Window) => Promise<void>;

/** Tests by name. */
export type UserTests = Readonly<Record<string, UserTest>>;

type UserTest = Use | WindowTest | ServerTest;

interface WindowTest extends WindowOptions {
  readonly use: Use;
}

interface ServerTest {
  /** Starts the server; disposing of the test stops it. */
  readonly start: () => Promise<WindowTest & AsyncDisposable>;
}

/**
 * The contents of the folder when the window opens. A file that is written later, before a test clicks in the Explorer,
 * would move the rows under the pointer.
 */
interface WindowOptions {
  readonly files: Files;
  /** Subfolders to open as a multi-root workspace, instead of the folder itself. */
  readonly roots?: readonly string[];
}

/** Texts by path in the folder. */
export type Files = Readonly<Record<string, string>>;

/** A test with a server that runs before the window opens, since the files contain its address. */
export function withServer<Server extends AsyncDisposable>(
  startServer: () => Promise<Server>,
  files: (server: Server) => Files,
  use: (window: Window, server: Server) => Promise<void>,
): UserTest {
  return {
    async start() {
      const server = await startServer();
      return {
        files: files(server),
        use: (window) => use(window, server),
        [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      };
    },
  };
}

/** The configuration of the folder. */
export function configured(configuration: object): Files {
  return { 'turnwise.config.json': JSON.stringify(configuration, null, 2) };
}

/** Shared by all windows of a run. */
export interface TestEnvironment {
  readonly browser: Browser;
  /** Where the VS Code server listens. */
  readonly port: number;
  /** Where the extension is installed. */
  readonly extensions: string;
  /** A temporary folder of the run. */
  readonly scratch: string;
  readonly log: (line: string) => void;
  addRetried(count: number): void;
}

/** Runs each test in a window and a folder of its own. */
export function windowTests(tests: UserTests, environment: TestEnvironment): Tests {
  const all = Object.entries(tests).map(([name, test], index) => {
    const attempt = async (folder: string, picture: string): Promise<void> => {
      const path = join(environment.scratch, 'workspaces', folder);
      if ('start' in test) {
        await using started = await test.start();
        await runInWindow(picture, path, started, environment);
      } else await runInWindow(picture, path, 'use' in test ? test : { files: {}, use: test }, environment);
    };
    const run = async (): Promise<void> => {
      try {
        await attempt(`${index}`, name);
      } catch (error) {
        environment.log(`# retry: ${name}: ${error}`);
        await attempt(`${index}-retry`, `retry ${name}`);
        environment.addRetried(1);
      }
    };
    return [name, run] as const;
  });
  return Object.fromEntries(all);
}

async function runInWindow(
  picture: string,
  folder: string,
  { files, roots, use }: WindowTest,
  environment: TestEnvironment,
): Promise<void> {
  await cp(WORKSPACE, folder, { recursive: true });
  const workspace = roots && { 'all.code-workspace': JSON.stringify({ folders: roots.map((path) => ({ path })) }) };
  for (const [path, text] of Object.entries({ ...files, ...workspace })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const target = roots ? join(folder, 'all.code-workspace') : folder;
  const page = await openWorkbench(environment.browser, { port: environment.port, folder: target, extension: null });
  const window = new Window(page, folder, environment.extensions);
  try {
    if (roots) await reloadWithoutFolders(page);
    // Wait until the extension has contributed its menus.
    await page.getByRole('tab', { name: 'Turnwise' }).waitFor();
    await use(window);
    await window.picture(picture);
  } catch (error) {
    // Under a name of its own, or the next run of the test would replace it.
    await window.picture(`failed ${picture}`);
    throw error;
  } finally {
    await page.context().close();
  }
}

/** Reloads a window that read its workspace before the server's files were available: it shows no folder. */
async function reloadWithoutFolders(page: Page): Promise<void> {
  const none = page.getByText('No Folder Opened');
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await page.locator('.explorer-folders-view').getByRole('treeitem').or(none).first().waitFor();
    if (!(await none.isVisible())) return;
    await page.reload();
  }
}
