import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execute } from './install.ts';
import { withTimeout } from './timeout.ts';

/** The settings of a new user, without what would cover the page or leave the machine. */
export const USER_SETTINGS = {
  'chat.disableAIFeatures': true,
  'extensions.ignoreRecommendations': true,
  // As on the desktop; in a browser, what is typed would be saved a second later.
  'files.autoSave': 'off',
  'security.workspace.trust.startupPrompt': 'never',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  // Off by default; the suites look at them.
  'turnwise.inlayHints': true,
  // The suites write traces to see them outdated.
  'turnwise.evaluateOnChange': 'off',
  'workbench.tips.enabled': false,
};

export interface ServerOptions {
  /** `ask`: a folder is restricted until the user trusts it. */
  readonly trust?: 'all' | 'ask';
  /** The path of a package to install. */
  readonly installed?: string;
  /** Of the user; default: `USER_SETTINGS`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** What a browser has to give; without one, all programs of this machine may connect. */
  readonly token?: string;
}

export interface VSCodeServer extends AsyncDisposable {
  readonly port: number;
}

/**
 * Starts a VS Code server; disposing ends it and all that it started.
 *
 * @param folder what `vscodeServer` answers.
 * @param data a folder for its profile, which nobody else uses.
 */
export async function startServer(
  folder: string,
  data: string,
  { trust = 'all', installed, settings = USER_SETTINGS, token }: ServerOptions = {},
): Promise<VSCodeServer> {
  await mkdir(join(data, 'data', 'User'), { recursive: true });
  await writeFile(join(data, 'data', 'User', 'settings.json'), JSON.stringify(settings));
  const program = join(folder, 'out', 'server-main.js');
  const own = ['--server-data-dir', data, '--extensions-dir', join(data, 'extensions')];
  if (installed !== undefined) await execute(process.execPath, [program, ...own, '--install-extension', installed]);
  const child = spawn(
    process.execPath,
    [
      program,
      ...['--host', '127.0.0.1', '--port', '0', '--accept-server-license-terms'],
      ...(token === undefined ? ['--without-connection-token'] : ['--connection-token', token]),
      // Without it, the page ignores what it is asked to load.
      '--enable-smoke-test-driver',
      '--disable-telemetry',
      ...(trust === 'all' ? ['--disable-workspace-trust'] : []),
      ...own,
    ],
    // A process group of its own, so that its extension hosts end with it.
    { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: environment(data) },
  );
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  process.once('exit', end);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const dispose = async (): Promise<void> => {
    process.off('exit', end);
    end();
    await ended;
  };

  let output = '';
  const port = new Promise<number>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-20_000);
      const match = /Extension host agent listening on (\d+)/.exec(output);
      if (match) resolve(Number(match[1]));
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`The VS Code server exited with ${code}.\n${output}`)));
  });
  try {
    return { port: await withTimeout(60_000, 'the VS Code server to listen', port), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** npm's and VS Code's own variables would change what is under test; what is kept is kept with the profile. */
function environment(data: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|VSCODE_|ELECTRON_)/i.test(name));
  return { ...Object.fromEntries(own), TURNWISE_HOME: join(data, 'turnwise') };
}
