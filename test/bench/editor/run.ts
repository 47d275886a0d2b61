/**
 * `npm run bench:editor`: what the extension takes in a real VS Code, and its report panel in a browser; what ships. It
 * prints the figures, and writes them into docs/benchmarks.md. `--runs 3`; `--only scenarios` for those of the Test Explorer,
 * which are not measured otherwise; `--profiles FOLDER` keeps the profiles of the extension host. Set-up, caches and their variables: test/support/vscode/install.ts.
 */
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { bundleSizes } from '../../../scripts/bundle-sizes.ts';
import { chromium, SetupError, vscodeServer } from '../../support/vscode/install.ts';
import { startServer } from '../../support/vscode/server.ts';
import { launch } from '../../support/vscode/workbench.ts';
import { circumstances } from '../circumstances.ts';
import { replaceSection } from '../compare/document-section.ts';
import type { Figures } from './figures.ts';
import { measurePanel, standalonePage } from './panel.ts';
import { GROUPS, SCENARIO_GROUP, sizeGroup } from './rows.ts';
import { measureScenarios } from './scenarios.ts';
import { withFigures } from './section.ts';
import { formatTable } from './table.ts';
import { activationInWindow, measureReport } from './user.ts';
import { type BenchFolders, bundleSuite, copyShippedFiles, measureWindows, profileWindow } from './windows.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const document = join(root, 'docs', 'benchmarks.md');
const { values: options } = parseArgs({
  options: { runs: { type: 'string', default: '3' }, only: { type: 'string' }, profiles: { type: 'string' } },
});
const runs = Number(options.runs);
const log = (line: string): void => void process.stdout.write(`${line}\n`);

const scratch = await mkdtemp(join(tmpdir(), 'turnwise-bench-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
// An exit, unlike a signal, lets all that was started end too.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

try {
  if (options.only === 'scenarios') {
    const figures = [conditions(), formatTable(SCENARIO_GROUP, await measure(measureScenarios))].join('\n\n');
    log(`\n${figures}`);
    await replaceSection(document, 'test-explorer', figures);
  } else if (options.only === undefined) {
    const figures = await report(await measure(measureEditor));
    log(`\n${figures}`);
    await writeFile(document, withFigures(await readFile(document, 'utf8'), figures));
  } else throw new SetupError('--only scenarios is the only part that is measured alone.');
  process.exit(0);
} catch (error) {
  log(error instanceof SetupError ? error.message : inspect(error));
  process.exit(1);
}

type Measuring = (browser: Browser, place: BenchFolders) => Promise<Figures>;

async function measure(measureOnce: Measuring): Promise<Figures[]> {
  if (!(Number.isInteger(runs) && runs > 0)) throw new SetupError('--runs is how often to measure: 1, 2, 3 …');
  const extension = await copyShippedFiles(root, join(scratch, 'extension'));
  const suite = await bundleSuite(join(scratch, 'suite.cjs'));
  const vscode = await vscodeServer(log);
  await using browser = await launch(await chromium(log));
  const all: Figures[] = [];
  for (let run = 0; run < runs; run += 1) {
    log(`run ${run + 1} of ${runs}`);
    // A VS Code that was never used: what it has learnt of the extension in one run would be of use to the next.
    const place = { suite, extension, scratch: join(scratch, `run-${run}`), log };
    await mkdir(place.scratch);
    await using server = await startServer(vscode, join(place.scratch, 'profile'));
    all.push(await measureOnce(browser, { ...place, port: server.port }));
    keepProfiles(place.scratch, run);
  }
  return all;
}

async function measureEditor(browser: Browser, place: BenchFolders): Promise<Figures> {
  const panel = await standalonePage(join(place.scratch, 'panel'));
  return {
    ...(await attempted(async () => ({ activatedFirst: await activationInWindow(browser, place, 'first') }))),
    ...(await attempted(async () => ({ activatedLater: await activationInWindow(browser, place, 'later') }))),
    ...(await measureWindows(browser, place)),
    ...(await profileWindow(browser, place)),
    ...(await attempted(() => measureReport(browser, place))),
    ...(await measurePanel(browser, panel)),
  };
}

/** On a machine with much to do, a part may take longer than anybody waits; the others are of use all the same. */
async function attempted(measuring: () => Promise<Figures>): Promise<Figures> {
  try {
    return await measuring();
  } catch (error) {
    log(String(error));
    return {};
  }
}

function keepProfiles(folder: string, run: number): void {
  const { profiles } = options;
  if (profiles === undefined) return;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.cpuprofile'))) {
    cpSync(join(folder, file), join(profiles, `${run}-${basename(file)}`));
  }
}

async function report(all: readonly Figures[]): Promise<string> {
  const sizes = sizeGroup((await bundleSizes(root)) ?? []);
  const tables = GROUPS.map((group) => formatTable(group, all));
  return [conditions(), ...tables, formatTable(sizes.group, [sizes.figures])].join('\n\n');
}

function conditions(): string {
  return `${runs === 1 ? 'One run' : `Medians of ${runs} runs`}; ${circumstances()} after:`;
}
