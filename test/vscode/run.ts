/**
 * Runs the tests inside a real VS Code's extension host. Each file of `suite` has a window of its own, with a copy of
 * `workspace`, and of the folder of `own` that has its name. `--only TEXT` runs the files whose names have it, else the tests whose names have it. Set-up, caches and
 * their variables: test/support/vscode/install.ts.
 */
import { existsSync } from 'node:fs';
import { cp, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { shippedFiles } from '../../scripts/shipped-files.ts';
import { SetupError } from '../support/vscode/install.ts';
import { startServer } from '../support/vscode/server.ts';
import { type TestRun, testRun } from '../support/vscode/session.ts';
import type { Counts } from '../support/vscode/suite.ts';
import { runSuite } from '../support/vscode/workbench.ts';

const SUITE_TIMEOUT_MS = 300_000;
/** Suites of folders that nobody trusts. */
const RESTRICTED = ['untrusted'];
const root = join(import.meta.dirname, '..', '..');

await testRun(async (run, add) => {
  const extension = await shipped(join(run.scratch, 'extension'));
  const { names, test } = chosen(await suites(), run.only);
  process.env.TURNWISE_TEST_ONLY = test;
  process.env.TURNWISE_TEST_REPOSITORY = root;
  for (const restricted of [false, true]) {
    const of = names.filter((name) => RESTRICTED.includes(name) === restricted);
    if (of.length > 0) await runSuites(of, restricted, extension, run, add);
  }
});

/** What is tested is what ships, and nothing beside it. */
async function shipped(folder: string): Promise<string> {
  const files = await shippedFiles(root);
  if (!files.includes('dist/extension.cjs')) throw new SetupError('Nothing is built. Run `npm run build` first.');
  for (const file of files) await cp(join(root, file), join(folder, file));
  return folder;
}

async function suites(): Promise<string[]> {
  const files = await readdir(join(import.meta.dirname, 'suite'));
  return files.map((file) => basename(file, '.ts')).sort();
}

function chosen(all: readonly string[], only: string): { names: readonly string[]; test: string } {
  const named = all.filter((name) => name.includes(only));
  return named.length > 0 ? { names: named, test: '' } : { names: all, test: only };
}

async function runSuites(
  names: readonly string[],
  restricted: boolean,
  extension: string,
  { scratch, vscode, browser, log }: TestRun,
  add: (counts: Counts) => void,
): Promise<void> {
  const trust = restricted ? 'asked' : 'all';
  await using server = await startServer(vscode, join(scratch, `profile-${trust}`), { trust });
  for (const name of names) {
    const suite = join(scratch, `${name}.cjs`);
    await build({
      entryPoints: [join(import.meta.dirname, 'suite', `${name}.ts`)],
      outfile: suite,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      sourcemap: 'inline',
      external: ['vscode'],
      logLevel: 'warning',
    });
    const tried = async (title: string): Promise<Counts> => {
      log(`# ${title}`);
      const folder = await workspaceOf(name, join(scratch, 'workspaces', title));
      return runSuite(browser, { port: server.port, extension, folder }, suite, SUITE_TIMEOUT_MS, log);
    };
    const counts = await tried(name);
    // A window on a busy machine may be late for a wait that has an end: what fails twice has failed.
    add(counts.failed === 0 ? counts : await tried(`${name}-again`));
  }
}

/** A folder with what all suites find there, and what this one alone does. */
async function workspaceOf(name: string, folder: string): Promise<string> {
  for (const from of [join(import.meta.dirname, 'workspace'), join(import.meta.dirname, 'own', name)]) {
    if (existsSync(from)) await cp(from, folder, { recursive: true });
  }
  return folder;
}
