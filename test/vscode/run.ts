/**
 * Runs the tests inside a real VS Code's extension host: the desktop build where @vscode/test-electron can download it,
 * else a headless server (`TURNWISE_TEST_VSCODE=desktop` or `headless` insists). Each file of `suite` has a window of its
 * own, with a copy of `workspace` and of the folder of `own` that has its name. `--only TEXT` runs the files whose names
 * contain the text, or one of several after commas, or else the tests whose names do. Set-up and caches: test/support/vscode/install.ts.
 */
import { existsSync } from 'node:fs';
import { cp, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { shippedFiles } from '../../scripts/shipped-files.ts';
import { desktopVSCode, runDesktopSuite } from '../support/vscode/desktop.ts';
import { chromium, SetupError, vscodeServer } from '../support/vscode/install.ts';
import { startServer } from '../support/vscode/server.ts';
import { type TestRun, testRun } from '../support/vscode/session.ts';
import type { Counts } from '../support/vscode/suite.ts';
import { launch, runHeadlessSuite, type SuiteRun } from '../support/vscode/workbench.ts';

const SUITE_TIMEOUT_MS = 300_000;
/** Suites in a window of another kind: `ask` for a folder that is not trusted, `models` with an extension that provides models. */
const OWN_KINDS: Readonly<Record<string, 'ask' | 'models'>> = { untrusted: 'ask', 'editor-models': 'models' };
/** Suites whose editor has another language: headless only, since the desktop build needs a language pack. */
const LANGUAGES: Readonly<Record<string, string>> = { german: 'de' };
const root = join(import.meta.dirname, '..', '..');

/** Runs a suite in a window of some VS Code. */
type Runner = AsyncDisposable & { run(suite: SuiteRun): Promise<Counts> };

await testRun(async (run) => {
  const extension = await shipped(join(run.scratch, 'extension'));
  const { names, test } = selectSuites(await suites(), run.only);
  process.env.TURNWISE_TEST_ONLY = test;
  process.env.TURNWISE_TEST_REPOSITORY = root;
  const desktop = await desktopVSCode(run.log, run.engine);
  for (const kind of ['all', 'ask', 'models'] as const) {
    const ofKind = names.filter((name) => (OWN_KINDS[name] ?? 'all') === kind);
    const selected = ofKind.filter((name) => desktop === null || LANGUAGES[name] === undefined);
    if (selected.length === 0) continue;
    const profile = join(run.scratch, `profile-${kind}`);
    const trust = kind === 'ask' ? 'ask' : 'all';
    if (kind === 'models') await installModels(join(profile, 'extensions'));
    await using runner = desktop === null ? await headless(profile, trust, run) : onDesktop(desktop, profile);
    for (const name of selected) await runSuite(name, trust, extension, runner, run);
  }
});

async function headless(profile: string, trust: SuiteRun['trust'], { log, engine }: TestRun): Promise<Runner> {
  const stack = new AsyncDisposableStack();
  const server = stack.use(await startServer(await vscodeServer(log, engine), profile, { trust }));
  const browser = stack.use(await launch(await chromium(log)));
  return {
    run: (suite) => runHeadlessSuite(browser, server.port, suite),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function onDesktop(executable: string, profile: string): Runner {
  return { run: (suite) => runDesktopSuite(executable, profile, suite), [Symbol.asyncDispose]: async () => {} };
}

/** Copies what ships, so that nothing else is tested. */
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

function selectSuites(all: readonly string[], only: string): { names: readonly string[]; test: string } {
  const parts = only.split(',');
  const matching = all.filter((name) => parts.some((part) => name.includes(part)));
  return matching.length > 0 ? { names: matching, test: '' } : { names: all, test: only };
}

async function runSuite(
  name: string,
  trust: SuiteRun['trust'],
  extension: string,
  runner: Runner,
  { scratch, log, add, addRetried }: TestRun,
): Promise<void> {
  const suite = join(scratch, `${name}.cjs`);
  await bundle(join(import.meta.dirname, 'suite', `${name}.ts`), suite);
  const attempt = async (title: string): Promise<Counts> => {
    log(`# ${title}`);
    const folder = await createWorkspace(name, join(scratch, 'workspaces', title));
    const language = LANGUAGES[name];
    return runner.run({
      folder,
      extension,
      suite,
      timeout: SUITE_TIMEOUT_MS,
      trust,
      write: log,
      ...(language && { language }),
    });
  };
  const counts = await attempt(name);
  if (counts.failed === 0) {
    add(counts);
    return;
  }
  const again = await attempt(`${name}-retry`);
  const retried = Math.max(0, counts.failed - again.failed);
  add({ ...counts, passed: counts.passed + retried, failed: counts.failed - retried });
  addRetried(retried);
}

function bundle(entryPoint: string, outfile: string): Promise<unknown> {
  return build({
    entryPoints: [entryPoint],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    sourcemap: 'inline',
    external: ['vscode'],
    logLevel: 'warning',
  });
}

/** Installs the extension in `models`, as VS Code does from a package. */
async function installModels(extensions: string): Promise<void> {
  const name = 'turnwise-test.models-0.0.0';
  const [from, folder] = [join(import.meta.dirname, 'models'), join(extensions, name)];
  await bundle(join(from, 'extension.ts'), join(folder, 'extension.cjs'));
  await cp(join(from, 'package.json'), join(folder, 'package.json'));
  const location = { $mid: 1, path: folder, scheme: 'file' };
  const installed = { identifier: { id: 'turnwise-test.models' }, version: '0.0.0', location, relativeLocation: name };
  await writeFile(join(extensions, 'extensions.json'), JSON.stringify([installed]));
}

/** A folder with the common workspace and the suite's own files. */
async function createWorkspace(name: string, folder: string): Promise<string> {
  for (const from of [join(import.meta.dirname, 'workspace'), join(import.meta.dirname, 'own', name)]) {
    if (existsSync(from)) await cp(from, folder, { recursive: true });
  }
  return folder;
}
