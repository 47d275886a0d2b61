import { type Browser, chromium, type Page } from 'playwright-core';
import { type Counts, messageOf } from './suite.ts';
import { withTimeout } from './timeout.ts';

/** How much of a log helps to see why a suite broke off. */
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
  // A machine that does much else is slow, and not wrong.
  page.setDefaultTimeout(30_000);
  await page.goto(address(workspace));
  await page.locator('.monaco-workbench').waitFor();
  return page;
}

/** Runs a suite inside the extension host; what else the workbench logged is written when the suite broke off. */
export async function runSuite(
  browser: Browser,
  workspace: Workspace,
  suite: string,
  timeout: number,
  write: (line: string) => void,
): Promise<Counts> {
  await using context = await browser.newContext();
  const page = await context.newPage();
  const { promise: exit, resolve, reject } = Promise.withResolvers<number>();
  let counts: Counts | undefined;
  const logged: string[] = [];
  page.on('crash', () => reject(new Error('The page of the workbench crashed.')));
  // The names under which the workbench looks for who automates it.
  await page.exposeFunction('codeAutomationLog', (_type: string, args: readonly unknown[]) => {
    const text = args.join(' ');
    const message = messageOf(text);
    if (message === null) logged.push(text);
    else if ('line' in message) write(message.line);
    // A test whose reply nobody took fails of it.
    else if ('reply' in message) replied(page, message.reply).catch((error: unknown) => logged.push(String(error)));
    // One that reloads its window runs in two parts.
    else counts = counts ? sum(counts, message.counts) : message.counts;
  });
  await page.exposeFunction('codeAutomationExit', (code: number) => resolve(code));
  try {
    await page.goto(address(workspace, suite));
    const code = await withTimeout(timeout, 'the suite to end', exit);
    if (counts) return counts;
    throw new Error(`The suite exited with ${code} before it had run its tests.`);
  } catch (error) {
    for (const text of logged.slice(-LOGGED_ENTRIES)) write(`  | ${text.split('\n', 1)}`);
    throw error;
  }
}

/** Replies to what the editor asks, once it does. */
async function replied(page: Page, text: string | null): Promise<void> {
  const field = page.locator('.quick-input-widget .quick-input-box input');
  await field.waitFor({ timeout: 15_000 });
  if (text !== null) await field.fill(text);
  await field.press(text === null ? 'Escape' : 'Enter');
}

function sum(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}
