import { type OpenedRun, openRuns } from '../app/compared-runs.ts';
import { errorMessage } from '../core/error-message.ts';
import type { RunComparison } from '../core/run-comparison.ts';
import type { RecordedRun } from '../core/run-record.ts';
import type { Leaderboard } from '../core/run-trend.ts';
import { escapeInvisible } from '../core/sanitize.ts';
import { redactJsonValue } from '../core/secrets.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { comparisonMarkdown } from '../reports/comparison/markdown.ts';
import { comparisonTable } from '../reports/comparison/table.ts';
import { leaderboardMarkdown } from '../reports/trend/markdown.ts';
import { leaderboardTable } from '../reports/trend/table.ts';
import { compareRuns, MOST_RUNS } from '../runs/compare/compare-runs.ts';
import { leaderboardOf } from '../runs/trend/leaderboards.ts';
import { dataFolder } from '../store/home.ts';
import { openRunStore } from '../store/runs/run-store.ts';
import { type CommandHost, supportsColor } from './host.ts';
import { listenForInterrupt } from './interrupt.ts';
import { checkOutputFile, writeOutput } from './output-file.ts';
import { UsageError } from './usage-error.ts';

export interface CompareArguments {
  readonly format: 'table' | 'json' | 'markdown';
  readonly out?: string;
  readonly verbose?: true;
}

const EXTENSIONS = { table: '.txt', json: '.json', markdown: '.md' } as const;

/** `turnwise compare`. A difference changes no exit code: gates are for `eval --baseline`. @throws UsageError */
export async function compareCommand(
  references: readonly string[],
  args: CompareArguments,
  host: CommandHost,
): Promise<number> {
  if (references.length < 2 || references.length > MOST_RUNS) {
    throw new UsageError(
      `compare takes 2 to ${MOST_RUNS} runs, such as: turnwise compare last~1 last. \`turnwise history\` lists them.`,
    );
  }
  using interrupt = listenForInterrupt(host);
  const { signal } = interrupt;
  const output = { file: args.out, option: `--out ${args.out}` };
  await checkOutputFile(output, host, EXTENSIONS[args.format]);
  const opened = await open(references, host, signal);
  if (signal.aborted) return EXIT_CODES.interrupted;
  const runs = opened.map(({ run }) => run);
  const comparison = compareRuns(runs);
  const inputs = opened.map(({ path }) => path);
  await writeOutput(textOf(comparison, worstOf(runs), args, host), output, inputs, host);
  return EXIT_CODES.passed;
}

/** @throws UsageError */
async function open(references: readonly string[], host: CommandHost, signal: AbortSignal): Promise<OpenedRun[]> {
  const warnings: string[] = [];
  using store = openRunStore(dataFolder(host.env), {
    cwd: host.cwd,
    warn: (sentence) => warnings.push(sentence),
  });
  try {
    return await openRuns(references, { store, cwd: host.cwd, signal });
  } catch (error) {
    if (signal.aborted) return [];
    throw new UsageError(errorMessage(error));
  } finally {
    for (const warning of warnings) await host.stderr.write(`turnwise: ${warning}\n`);
  }
}

/** Of two runs, the flips say more. */
function worstOf(runs: readonly RecordedRun[]): Leaderboard | null {
  const started = ({ manifest }: RecordedRun) => manifest.startedAt;
  return runs.length === 2 ? null : leaderboardOf(runs.toSorted((a, b) => (started(a) < started(b) ? -1 : 1)));
}

function* textOf(
  comparison: RunComparison,
  worst: Leaderboard | null,
  args: CompareArguments,
  host: CommandHost,
): Generator<string> {
  const { format, out, verbose = false } = args;
  if (format === 'json') {
    const value = worst ? { ...comparison, worst: { sessions: worst.sessions, tasks: worst.tasks } } : comparison;
    yield `${escapeInvisible(JSON.stringify(value, redactJsonValue, 2))}\n`;
    return;
  }
  if (format === 'markdown') {
    yield* comparisonMarkdown(comparison);
    if (worst) yield* leaderboardMarkdown(worst);
    return;
  }
  const isFile = out !== undefined;
  const options = {
    verbose,
    terminal: !isFile && host.stdout.terminal,
    color: !isFile && supportsColor(host.stdout, host.env),
    columns: isFile ? FILE_COLUMNS : host.stdout.columns,
  };
  yield* comparisonTable(comparison, options);
  if (worst) yield* leaderboardTable(worst, options);
}

const FILE_COLUMNS = 120;
