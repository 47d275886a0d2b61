import { describeUnreadableFolder } from '../app/data-folder.ts';
import { findProject } from '../app/git-state.ts';
import { errorMessage } from '../core/error-message.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { escapeInvisible, sanitizeLine } from '../reports/terminal-text.ts';
import { shortRunId } from '../runs/run-label.ts';
import type { RunListing, RunStore } from '../runs/run-store.ts';
import { dataFolder } from '../store/home.ts';
import { currentBaselines, findRun, runNotFound } from '../store/runs/find-run.ts';
import { openRunStore } from '../store/runs/run-store.ts';
import { historyTable, runText } from './history-text.ts';
import type { CommandHost } from './host.ts';
import { listenForInterrupt } from './interrupt.ts';
import { checkOutputFile, writeStdout } from './output-file.ts';
import { UsageError } from './usage-error.ts';

export interface HistoryArguments {
  readonly limit: number;
  readonly allProjects?: true;
  readonly format: 'table' | 'json';
}

/** `turnwise history`. @returns the exit code. @throws UsageError */
export async function historyCommand(
  { limit, allProjects, format }: HistoryArguments,
  host: CommandHost,
): Promise<number> {
  return await withStore(host, async (store, project) => {
    // One more, to know whether there are more.
    const listed = store.list({ project: allProjects ? null : project, limit: limit + 1 });
    const runs = listed.slice(0, limit);
    const text =
      format === 'json'
        ? json({ runs })
        : historyTable(runs, {
            folder: `${dataFolder(host.env)}${host.env.TURNWISE_HOME ? ' (TURNWISE_HOME)' : ''}`,
            hasMore: listed.length > limit,
            allProjects: allProjects === true,
            baselines: currentBaselines(runs, store),
            now: new Date(),
          });
    await writeStdout(text, host);
  });
}

/** `turnwise history show`. @returns the exit code. @throws UsageError */
export async function showRunCommand(
  reference: string,
  { format }: Pick<HistoryArguments, 'format'>,
  host: CommandHost,
): Promise<number> {
  return await withStore(host, async (store, project) => {
    const record = await store.find(reference, project);
    const rows = await record.rows();
    const { manifest } = record;
    const isLive = store.list({ project: null }).some((run) => run.isLive && run.manifest.id === manifest.id);
    const text = format === 'json' ? json({ manifest, rows }) : runText(manifest, rows, { path: record.path, isLive });
    await writeStdout(text, host);
  });
}

/** `turnwise history name`. @param name null removes it. @returns the exit code. @throws UsageError */
export async function nameRunCommand(reference: string, name: string | null, host: CommandHost): Promise<number> {
  return await withStore(host, async (store, project) => {
    const { id } = findListed(reference, store, project).manifest;
    await store.rename(id, name);
    const done = name === null ? 'has no name any more' : `is named "${name}"`;
    await host.stderr.write(`Run ${shortRunId(id)} ${sanitizeLine(done)}.\n`);
  });
}

/** `turnwise history export`. @returns the exit code. @throws UsageError */
export async function exportRunCommand(reference: string, file: string, host: CommandHost): Promise<number> {
  await checkOutputFile({ file, option: 'history export' }, host, '.turnwise.zip');
  if (!file.toLowerCase().endsWith('.zip')) {
    throw new UsageError(`A run is exported as a zip file: history export ${reference} ${file}.turnwise.zip`);
  }
  return await withStore(host, async (store, project) => {
    const { id } = findListed(reference, store, project).manifest;
    await store.export(id, file);
    await host.stderr.write(`Wrote run ${shortRunId(id)} to ${sanitizeLine(file)}.\n`);
  });
}

/** `turnwise history delete`. @returns the exit code. @throws UsageError */
export async function deleteRunsCommand(
  references: readonly string[],
  { yes }: { readonly yes?: true },
  host: CommandHost,
): Promise<number> {
  return await withStore(host, async (store, project) => {
    const found = references.map((reference) => findListed(reference, store, project));
    const runs = [...new Map(found.map((run) => [run.manifest.id, run])).values()];
    if (!(yes || (await confirmDeletion(runs, host)))) {
      await host.stderr.write('Nothing was deleted.\n');
      return;
    }
    await store.delete(runs.map(({ manifest }) => manifest.id));
    await host.stderr.write(`Deleted ${pluralize(runs.length, 'run')}.\n`);
  });
}

/** @throws UsageError where nobody can be asked */
async function confirmDeletion(runs: readonly RunListing[], host: CommandHost): Promise<boolean> {
  using interrupt = listenForInterrupt(host);
  const names = runs
    .map(({ manifest: { id, name } }) => `${shortRunId(id)}${name ? ` (${sanitizeLine(name)})` : ''}`)
    .join(', ');
  const baselines = runs.filter(({ isBaseline }) => isBaseline).length;
  const warning = baselines === 0 ? '' : ` ${pluralize(baselines, 'is a baseline', 'are baselines')}.`;
  const question = `Delete ${pluralize(runs.length, 'run')}: ${names}?${warning} [y/N] `;
  const answer = await host.ask(question, interrupt.signal);
  if (answer === null && !interrupt.signal.aborted) {
    throw new UsageError('history delete asks at a terminal before it deletes. Without one, add --yes.');
  }
  return /^y(?:es)?$/i.test(answer?.trim() ?? '');
}

/** A run of the list, whether or not its record can be read. */
function findListed(reference: string, store: RunStore, project: string): RunListing {
  const ofProject = store.list({ project });
  const run = findRun(reference, ofProject, () => store.list({ project: null }));
  if (!run) throw runNotFound(reference, ofProject);
  return run;
}

/** @throws UsageError with the sentence of what failed */
async function withStore(
  host: CommandHost,
  work: (store: RunStore, project: string) => Promise<void>,
): Promise<number> {
  const folder = dataFolder(host.env);
  const unreadable = await describeUnreadableFolder(folder);
  if (unreadable !== null) throw new UsageError(unreadable);
  const project = await findProject(host.cwd);
  using store = openRunStore(folder, {
    cwd: host.cwd,
    warn: (sentence) => void host.stderr.write(`warning: ${sanitizeLine(sentence)}\n`),
  });
  try {
    await work(store, project);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(sanitizeLine(errorMessage(error)));
  }
  return EXIT_CODES.passed;
}

function json(value: unknown): string {
  return `${escapeInvisible(JSON.stringify(value, null, 2))}\n`;
}
