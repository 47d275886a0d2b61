import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { shippedFiles } from '../../../scripts/shipped-files.ts';
import { runHeadlessSuite } from '../../support/vscode/workbench.ts';
import { writeArray } from '../generate.ts';
import type { Figures } from './figures.ts';
import { LARGE, LARGE_PLAIN, LONG, NO_LANGUAGE, PROFILED, SMALL, TRACES } from './names.ts';
import { writeSession } from './traces.ts';

const LARGE_BYTES = 20e6;
const LONG_TURNS = 2000;
const TIMEOUT_MS = 240_000;

export interface BenchFolders {
  readonly port: number;
  /** Absolute paths: what ships of the extension, the suite, and a folder for everything else. */
  readonly extension: string;
  readonly suite: string;
  readonly scratch: string;
  /** Hears what could not be measured. */
  readonly log: (line: string) => void;
}

/** What ships, and nothing beside it, in a folder of its own. */
export async function copyShippedFiles(root: string, folder: string): Promise<string> {
  for (const file of await shippedFiles(root)) await cp(join(root, file), join(folder, file));
  return folder;
}

export async function bundleSuite(path: string): Promise<string> {
  await build({
    entryPoints: [join(import.meta.dirname, 'suite', 'index.ts')],
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['vscode'],
    logLevel: 'warning',
  });
  return path;
}

/** A window with traces that are known by their names, and another with the same that are not. */
export async function measureWindows(browser: Browser, place: BenchFolders): Promise<Figures> {
  const traces = await folderOf(place, TRACES);
  writeArray(join(traces, LARGE), LARGE_BYTES);
  writeSession(join(traces, LONG), LONG_TURNS);
  const plain = await folderOf(place, 'plain');
  for (const name of [LARGE_PLAIN, NO_LANGUAGE]) await cp(join(traces, LARGE), join(plain, name));
  return { ...(await measureWindow(browser, place, traces)), ...(await measureWindow(browser, place, plain)) };
}

/** A window in which it is looked whose code runs. */
export async function profileWindow(browser: Browser, place: BenchFolders): Promise<Figures> {
  const folder = await folderOf(place, PROFILED);
  writeArray(join(folder, LARGE), LARGE_BYTES);
  return measureWindow(browser, place, folder);
}

async function folderOf({ scratch }: BenchFolders, name: string): Promise<string> {
  const folder = join(scratch, name);
  await mkdir(folder);
  await writeFile(join(folder, SMALL), '{}\n');
  return folder;
}

/** What could not be measured is told, and missing. */
export async function measureWindow(
  browser: Browser,
  place: BenchFolders,
  folder: string,
  timeout = TIMEOUT_MS,
): Promise<Figures> {
  const write = (line: string): void => {
    if (!line.startsWith('ok ')) place.log(line);
  };
  const run = { ...place, folder, timeout, trust: 'all', write } as const;
  await runHeadlessSuite(browser, place.port, run).catch((error: unknown) => write(String(error)));
  return JSON.parse(await readFile(`${folder}.figures.json`, 'utf8').catch(() => '{}'));
}
