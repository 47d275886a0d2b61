import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { download, runTests } from '@vscode/test-electron';
import { chromium } from 'playwright-core';
import { CODE_SERVERS, cacheFolder, type Engine } from './install.ts';
import { USER_SETTINGS } from './server.ts';
import type { Counts } from './suite.ts';
import { withTimeout } from './timeout.ts';
import { replyToQuickInput, SuiteOutput, type SuiteRun } from './workbench.ts';

const DOWNLOAD_TIMEOUT_MS = 10_000;

/**
 * Downloads the desktop build of VS Code, as @vscode/test-electron does. @returns the path of its executable; null where
 * it cannot be downloaded or has no display.
 */
export async function desktopVSCode(log: (line: string) => void, engine: Engine): Promise<string | null> {
  const choice = process.env.TURNWISE_TEST_VSCODE;
  if (choice === 'headless') return null;
  const isLinux = process.platform === 'linux';
  if (choice !== 'desktop' && isLinux && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return null;
  try {
    const version = engine === 'newest' ? undefined : CODE_SERVERS[engine].replace(/^4/, '1');
    return await download({ version, cachePath: join(cacheFolder(), 'vscode-desktop'), timeout: DOWNLOAD_TIMEOUT_MS });
  } catch (error) {
    if (choice === 'desktop') throw error;
    log(`VS Code's desktop build can't be downloaded (${error}). Using the headless server.`);
    return null;
  }
}

/** Runs a suite in the extension host of a desktop VS Code. */
export async function runDesktopSuite(
  executable: string,
  profile: string,
  { folder, extension, suite, timeout, trust, write }: SuiteRun,
): Promise<Counts> {
  const user = join(profile, 'data', 'User');
  await mkdir(user, { recursive: true });
  await writeFile(join(user, 'settings.json'), JSON.stringify(USER_SETTINGS));
  const port = await freePort();
  const reply = async (text: string | null): Promise<void> => {
    const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
    const page = browser.contexts()[0]?.pages()[0];
    if (!page) throw new Error('The window of VS Code was not found.');
    await replyToQuickInput(page, text);
  };
  const output = new SuiteOutput(write, reply);
  const stdout = new PassThrough();
  createInterface(stdout).on('line', (line) => output.receive(line));
  const run = runTests({
    vscodeExecutablePath: executable,
    extensionDevelopmentPath: extension,
    extensionTestsPath: suite,
    extensionTestsEnv: { TURNWISE_HOME: join(profile, 'turnwise') },
    launchArgs: [
      folder,
      `--user-data-dir=${join(profile, 'data')}`,
      `--extensions-dir=${join(profile, 'extensions')}`,
      `--remote-debugging-port=${port}`,
      '--skip-welcome',
      '--disable-telemetry',
      ...(trust === 'all' ? ['--disable-workspace-trust'] : []),
    ],
    stdout,
    stderr: stdout,
  });
  return output.counts(withTimeout(timeout, 'the suite to end', run));
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('No port is free.')),
      );
    });
  });
}
