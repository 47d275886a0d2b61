import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * The code-server releases that the suites are tested with, each with the VS Code of the same minor version: the newest, and that of
 * the oldest VS Code that the manifest supports.
 */
export const CODE_SERVERS = { newest: '4.139.1', oldest: '4.105.1' } as const;

/** Which VS Code the suites run in. */
export type Engine = keyof typeof CODE_SERVERS;

const WATCHER = 'node_modules/@parcel/watcher';

const CHROMIUM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** A missing prerequisite; the message says how to provide it. */
export class SetupError extends Error {}

/** Installs the headless VS Code server. @returns its folder. */
export async function vscodeServer(log: (line: string) => void, engine: Engine = 'newest'): Promise<string> {
  const server = join('node_modules', 'code-server', 'lib', 'vscode');
  const home = await fromNpm('code-server', CODE_SERVERS[engine], log, async (folder) => {
    await useReleasedWatcher(join(folder, server));
    await npmInstall(join(folder, server), '--omit=dev');
    await npmInstall(join(folder, server, 'extensions'), '--omit=dev');
  });
  return join(home, server);
}

/** Some releases want a commit of the file watcher, which only its repository has; everything here comes from npm. */
async function useReleasedWatcher(folder: string): Promise<void> {
  for (const name of ['package.json', 'npm-shrinkwrap.json']) {
    const path = join(folder, name);
    const text = await readFile(path, 'utf8');
    const ofNpm = JSON.parse(text.replaceAll(/"parcel-bundler\/watcher#\w+"/g, '"2.5.1"'));
    if (ofNpm.packages?.[WATCHER]?.resolved?.startsWith('git')) delete ofNpm.packages[WATCHER];
    await writeFile(path, JSON.stringify(ofNpm, null, 2));
  }
}

/** Where downloads are kept, outside the repository: `TURNWISE_TEST_CACHE`, by default in the user's cache folder. */
export function cacheFolder(): string {
  return (
    process.env.TURNWISE_TEST_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'turnwise-test')
  );
}

/** Installs a package from npm once. @returns its folder. */
async function fromNpm(
  name: string,
  version: string,
  log: (line: string) => void,
  finish: (folder: string) => Promise<void> = async () => {},
): Promise<string> {
  const home = join(cacheFolder(), `${name.replace(/^.*\//, '')}-${version}`);
  if (existsSync(home)) return home;

  log(`Installing ${name} ${version} from npm into ${home} …`);
  const unfinished = `${home}.${process.pid}.tmp`;
  try {
    await mkdir(unfinished, { recursive: true });
    await writeFile(join(unfinished, 'package.json'), '{ "private": true }\n');
    await npmInstall(unfinished, `${name}@${version}`);
    await finish(unfinished);
    // A folder under its final name is complete, even if another process was installing it.
    await rename(unfinished, home).catch((error: unknown) => {
      if (!existsSync(home)) throw error;
    });
  } catch (error) {
    throw new SetupError(
      `${name} ${version} could not be installed: ${error instanceof Error ? error.message : String(error)}\n` +
        'It comes from the npm registry; check the connection and run the command again.',
    );
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return home;
}

/** The path of a Chromium: `TURNWISE_CHROMIUM`, else one on PATH, else Debian's, which root can install at once. */
export async function chromium(log: (line: string) => void): Promise<string> {
  const result = findChromium();
  if (result) return result;
  const apt = onPath('apt-get');
  if (apt === null || process.getuid?.() !== 0) {
    const install = apt === null ? 'Install Chromium' : 'Run `sudo apt-get install -y chromium`';
    throw new SetupError(`No Chromium is on PATH. ${install}, or set TURNWISE_CHROMIUM to the path of one.`);
  }
  log('Installing chromium with apt-get …');
  try {
    await execute(apt, ['update', '-qq']);
    await execute(apt, ['install', '-y', '-qq', '--no-install-recommends', 'chromium']);
  } catch (error) {
    throw new SetupError(
      `Chromium could not be installed: ${error instanceof Error ? error.message : String(error)}\n` +
        'Install it by hand, or set TURNWISE_CHROMIUM to the path of one.',
    );
  }
  const installed = findChromium();
  if (!installed) throw new SetupError('apt-get installed chromium, and no chromium is on PATH.');
  return installed;
}

function findChromium(): string | null {
  const named = process.env.TURNWISE_CHROMIUM;
  if (named !== undefined) {
    if (existsSync(named)) return named;
    throw new SetupError(`TURNWISE_CHROMIUM is ${named}, and there is no such file.`);
  }
  for (const name of CHROMIUM_NAMES) {
    const path = onPath(name);
    if (path) return path;
  }
  return null;
}

/** The path of a program; null where none is on PATH. */
export function onPath(name: string): string | null {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

async function npmInstall(folder: string, ...args: readonly string[]): Promise<void> {
  await execute('npm', ['install', ...args, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], folder);
}

/** Rejects with the last lines that the command wrote. */
export function execute(command: string, args: readonly string[], cwd?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-2000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`\`${command} ${args.join(' ')}\` exited with ${code}.\n${output.trim()}`));
    });
  });
}
