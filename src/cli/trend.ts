import { findProject } from '../app/git-state.ts';
import { didYouMean } from '../config/suggest.ts';
import { errorMessage } from '../core/error-message.ts';
import type { RecordedRun } from '../core/run-record.ts';
import { escapeInvisible } from '../core/sanitize.ts';
import { redactJsonValue } from '../core/secrets.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import type { ReportText } from '../reports/report-writer.ts';
import { sanitizeLine } from '../reports/terminal-text.ts';
import { distributionMarkdown, leaderboardMarkdown, trendMarkdown } from '../reports/trend/markdown.ts';
import { distributionTable, leaderboardTable, trendTable } from '../reports/trend/table.ts';
import { NOTHING_RECORDED } from '../runs/remedies.ts';
import type { RunStore } from '../runs/run-store.ts';
import { metricDistribution } from '../runs/trend/distribution.ts';
import { leaderboardOf } from '../runs/trend/leaderboards.ts';
import { loadRuns } from '../runs/trend/load-runs.ts';
import { runTrend } from '../runs/trend/run-trend.ts';
import { listSubjects } from '../runs/trend/subject.ts';
import { dataFolder } from '../store/home.ts';
import { openRunStore } from '../store/runs/run-store.ts';
import { type CommandHost, supportsColor } from './host.ts';
import { checkOutputFile, writeOutput } from './output-file.ts';
import { UsageError } from './usage-error.ts';

export interface TrendArguments {
  readonly task?: string;
  readonly byTask?: true;
  readonly limit: number;
  /** ISO 8601. */
  readonly since?: string;
  readonly branch?: string;
  readonly agentVersion?: string;
  /** A run; true: the newest one. */
  readonly distribution?: string | true;
  readonly format: 'table' | 'json' | 'markdown';
  readonly out?: string;
}

const EXTENSIONS = { table: '.txt', json: '.json', markdown: '.md' } as const;

/** `turnwise trend`. A change fails nothing. @returns the exit code. @throws UsageError */
export async function trendCommand(name: string | undefined, args: TrendArguments, host: CommandHost): Promise<number> {
  const output = { file: args.out, option: `--out ${args.out}` };
  await checkOutputFile(output, host, EXTENSIONS[args.format]);
  const project = await findProject(host.cwd);
  using store = openRunStore(dataFolder(host.env), {
    cwd: host.cwd,
    warn: (sentence) => void host.stderr.write(`warning: ${sanitizeLine(sentence)}\n`),
  });
  const text =
    args.distribution === undefined
      ? await trendText(name ?? null, args, { store, project, host })
      : await distributionText(name, args.distribution, args, { store, project, host });
  await writeOutput(text, output, [], host);
  return EXIT_CODES.passed;
}

interface TrendContext {
  readonly store: RunStore;
  readonly project: string;
  readonly host: CommandHost;
}

/** @throws UsageError */
async function trendText(
  name: string | null,
  { task, byTask, format, out, ...selection }: TrendArguments,
  { store, project, host }: TrendContext,
): Promise<ReportText> {
  const { runs, incomplete } = await loadRuns(store, { ...selection, project });
  if (runs.length === 0) {
    throw noRuns(selection, incomplete, store.list({ project, limit: 1 }).length === 0);
  }
  const trend = runTrend(runs, { subject: name, task: task ?? null, incomplete, ...(byTask && { byTask }) });
  if (!trend) throw noValues(name, task ?? null, runs);
  // Without a name, it is an overview of the project.
  const leaderboard = name === null && task === undefined ? leaderboardOf(runs) : null;
  if (format === 'json') return json(leaderboard ? { ...trend, leaderboard } : trend);
  if (format === 'markdown') return join(trendMarkdown(trend), leaderboard && leaderboardMarkdown(leaderboard));
  const style = tableOptions(host, out);
  return join(trendTable(trend, style), leaderboard && leaderboardTable(leaderboard, style));
}

function* join(first: Iterable<string>, second: Iterable<string> | null): Generator<string> {
  yield* first;
  if (second) yield* second;
}

/** @throws UsageError */
async function distributionText(
  name: string | undefined,
  reference: string | true,
  { format, out, task, byTask }: TrendArguments,
  { store, project, host }: TrendContext,
): Promise<ReportText> {
  if (name === undefined)
    throw new UsageError('--distribution requires a metric, such as: turnwise trend cost --distribution');
  if (task !== undefined || byTask)
    throw new UsageError('--distribution is over all sessions of a run: remove --task and --by-task.');
  const record = await store.find(reference === true ? 'last' : reference, project).catch((error: unknown) => {
    throw new UsageError(sanitizeLine(errorMessage(error)));
  });
  const run = { manifest: record.manifest, rows: await record.rows() };
  const distribution = metricDistribution(run, name);
  if (!distribution) throw noValues(name, null, [run]);
  if (format === 'json') return json(distribution);
  if (format === 'markdown') return distributionMarkdown(distribution);
  return distributionTable(distribution, tableOptions(host, out));
}

/** Which option leaves no run, or that there is none. */
function noRuns(
  { branch, agentVersion, since }: Pick<TrendArguments, 'branch' | 'agentVersion' | 'since'>,
  incomplete: number,
  isEmpty: boolean,
): UsageError {
  if (isEmpty) return new UsageError(NOTHING_RECORDED);
  const filters = [
    ...(branch === undefined ? [] : [`of branch "${branch}"`]),
    ...(agentVersion === undefined ? [] : [`of version "${agentVersion}" of the agent`]),
    ...(since === undefined ? [] : [`since ${since.slice(0, 10)}`]),
  ].join(', ');
  const hidden = incomplete > 0 ? ` Not complete: ${incomplete}; turnwise eval --resume continues a run.` : '';
  return new UsageError(
    sanitizeLine(
      `This project has no complete run${filters === '' ? '' : ` ${filters}`}. \`turnwise history\` lists its runs.${hidden}`,
    ),
  );
}

const MAX_NAMES = 12;

function noValues(name: string | null, task: string | null, runs: readonly RecordedRun[]): UsageError {
  const known = listSubjects(runs).map(({ subject }) => subject.name);
  const names = known.slice(0, MAX_NAMES).join(', ') + (known.length > MAX_NAMES ? ', …' : '');
  const what = `"${name ?? 'correct'}"${task === null ? '' : ` in sessions of the task "${task}"`}`;
  return new UsageError(
    sanitizeLine(`No recorded run has a value of ${what}.${didYouMean(name ?? '', known)} There are: ${names}.`),
  );
}

function json(value: unknown): string {
  return `${escapeInvisible(JSON.stringify(value, redactJsonValue, 2))}\n`;
}

const FILE_COLUMNS = 120;

/** A file has no terminal, whose lines have one width and which draws a chart. */
function tableOptions({ stdout, env }: CommandHost, out: string | undefined) {
  if (out !== undefined) return { terminal: false, color: false, columns: FILE_COLUMNS };
  const terminal = stdout.terminal && env.TERM !== 'dumb';
  return { terminal, color: supportsColor(stdout, env), columns: stdout.columns };
}
