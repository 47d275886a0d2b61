import { type Browser, chromium, type Page } from 'playwright-core';
import { type Counts, parseMessage } from './suite.ts';
import { withTimeout } from './timeout.ts';

/** How many entries of the log are written when a suite breaks off. */
const LOGGED_ENTRIES = 20;

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ARGUMENTS });
}

export interface Workspace {
  /** Where the VS Code server listens. */
  readonly port: number;
  /** Absolute path of the folder that is open, or of a `.code-workspace` file. */
  readonly folder: string;
  /** That of the extension under test; null: the one that is installed. */
  readonly extension: string | null;
}

/** The address of a workbench; with the path of a suite, the extension host runs it. */
function address({ port, folder, extension }: Workspace, suite?: string): string {
  const remote = (path: string): string => `vscode-remote://127.0.0.1:${port}${path}`;
  const payload = [
    ...(extension === null ? [] : [['extensionDevelopmentPath', remote(extension)]]),
    ...(suite === undefined ? [] : [['extensionTestsPath', remote(suite)]]),
    ['skipWelcome', 'true'],
  ];
  const kind = folder.endsWith('.code-workspace') ? 'workspace' : 'folder';
  const query = new URLSearchParams({ [kind]: folder, payload: JSON.stringify(payload) });
  return `http://127.0.0.1:${port}/?${query}`;
}

/** Opens a workbench as a user does. */
export async function openWorkbench(browser: Browser, workspace: Workspace): Promise<Page> {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, permissions });
  const page = await context.newPage();
  // A busy machine is slow.
  page.setDefaultTimeout(30_000);
  await page.goto(address(workspace));
  await page.locator('.monaco-workbench').waitFor();
  return page;
}

/** A suite to run in a window of its own. */
export interface SuiteRun {
  /** Absolute paths: of the folder to open, of the extension under test and of the bundled suite. */
  readonly folder: string;
  readonly extension: string;
  readonly suite: string;
  /** In milliseconds. */
  readonly timeout: number;
  /** `ask`: the folder is restricted until the user trusts it. */
  readonly trust: 'all' | 'ask';
  /** The language of the editor, such as `de`; by default English. */
  readonly language?: string;
  readonly write: (line: string) => void;
}

/** Collects what a suite writes to the console. */
export class SuiteOutput {
  readonly #write: (line: string) => void;
  readonly #reply: (text: string | null) => Promise<void>;
  readonly #log: string[] = [];
  #counts: Counts | undefined;

  /** @param reply answers the quick input of the window. */
  constructor(write: (line: string) => void, reply: (text: string | null) => Promise<void>) {
    this.#write = write;
    this.#reply = reply;
  }

  receive(text: string): void {
    const message = parseMessage(text);
    if (message === null) this.#log.push(text);
    else if ('line' in message) this.#write(message.line);
    // Without its reply, the test itself fails.
    else if ('reply' in message) this.#reply(message.reply).catch((error: unknown) => this.#log.push(String(error)));
    // A suite that reloads its window reports its counts in two parts.
    else this.#counts = this.#counts ? sum(this.#counts, message.counts) : message.counts;
  }

  /** Resolves when the suite exits; a suite that breaks off rejects, after the end of its log was written. */
  async counts(exit: Promise<number>): Promise<Counts> {
    try {
      const code = await exit;
      if (this.#counts) return this.#counts;
      throw new Error(`The suite exited with ${code} before it had run its tests.`);
    } catch (error) {
      for (const text of this.#log.slice(-LOGGED_ENTRIES)) this.#write(`  | ${text.split('\n', 1)}`);
      throw error;
    }
  }
}

/** Runs a suite in the extension host of a headless server. */
export async function runHeadlessSuite(browser: Browser, port: number, run: SuiteRun): Promise<Counts> {
  await using context = await browser.newContext();
  const page = await context.newPage();
  const { promise: exit, resolve, reject } = Promise.withResolvers<number>();
  page.on('crash', () => reject(new Error('The page of the workbench crashed.')));
  const output = new SuiteOutput(run.write, (text) => replyToQuickInput(page, text));
  // The workbench looks for its automation under these names.
  await page.exposeFunction('codeAutomationLog', (_type: string, args: readonly unknown[]) =>
    output.receive(args.join(' ')),
  );
  await page.exposeFunction('codeAutomationExit', (code: number) => resolve(code));
  const { folder, extension, suite, timeout, language } = run;
  // As a language pack does. Texts of VS Code itself stay English.
  if (language !== undefined) await page.addInitScript(`globalThis._VSCODE_NLS_LANGUAGE = '${language}'`);
  const response = page.goto(address({ port, folder, extension }, suite));
  return await output.counts(response.then(() => withTimeout(timeout, 'the suite to end', exit)));
}

/** Answers the quick input of a window when it opens: types the text and accepts; null presses Escape. */
export async function replyToQuickInput(page: Page, text: string | null): Promise<void> {
  const field = page.locator('.quick-input-widget .quick-input-box input');
  await field.waitFor({ timeout: 15_000 });
  if (text !== null) await field.fill(text);
  await field.press(text === null ? 'Escape' : 'Enter');
}

function sum(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}
