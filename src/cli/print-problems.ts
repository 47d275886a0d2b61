import {
  CODE_SKIPPED,
  FOREIGN_JUDGE,
  MISSING_K,
  NO_SESSIONS,
  NO_TRACE,
  type Problem,
  UNKNOWN_METRIC,
} from '../core/problem.ts';
import type { Locator } from '../input/load.ts';
import { sanitizeLine } from '../reports/terminal-text.ts';
import type { CommandHost } from './host.ts';

/** Limit of the printed warnings. All errors are printed. */
const MAX_WARNINGS = 5;

export interface PrintProblemsOptions {
  /** Errors only. */
  readonly quiet?: boolean;
  /** All warnings. */
  readonly verbose?: boolean;
  /** Finds columns. */
  readonly locator?: Locator;
}

type LocatedProblem = Problem & { readonly column?: number | null };

/** Prints problems on standard error as `file:line:column: message`. */
export async function printProblems(
  host: CommandHost,
  problems: readonly LocatedProblem[],
  { quiet = false, verbose = false, locator }: PrintProblemsOptions = {},
): Promise<void> {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const warnings = quiet ? [] : problems.filter(({ severity }) => severity === 'warning');
  const printed = verbose ? warnings : warnings.slice(0, MAX_WARNINGS);
  for (const problem of [...errors, ...printed]) await host.stderr.write(`${problemLine(problem, locator)}\n`);
  const left = warnings.length - printed.length;
  if (left > 0) {
    await host.stderr.write(`and ${left} more ${left === 1 ? 'warning' : 'warnings'}; --verbose shows all\n`);
  }
}

/** What the command line offers against a problem, by the problem's code. The messages are those of every view. */
const REMEDIES = new Map<string, (problem: Problem) => string>([
  [NO_TRACE, () => '`turnwise formats` lists the known formats; --input-format NAME skips detection.'],
  [NO_SESSIONS, () => '`turnwise formats` lists the known formats.'],
  [UNKNOWN_METRIC, () => '`turnwise metrics` lists them.'],
  [MISSING_K, () => 'Or give one: --k 3.'],
  [FOREIGN_JUDGE, () => '--judge PROVIDER:MODEL chooses one.'],
  [CODE_SKIPPED, ({ file }) => `To run it, add --config ${file}.`],
]);

function problemLine(problem: LocatedProblem, locator: Locator | undefined): string {
  const { file, line, severity, code } = problem;
  const message = [problem.message, REMEDIES.get(code)?.(problem)].filter((part) => part !== undefined).join(' ');
  const column = problem.column ?? columnOf(problem, locator);
  // A problem of several files together has no file.
  const place = file === '' ? [] : [file === '-' ? 'standard input' : sanitizeLine(file), line, column];
  const before = place.filter((part) => part !== null).join(':');
  return `${before === '' ? '' : `${before}: `}${severity === 'warning' ? 'warning: ' : ''}${sanitizeLine(message)}`;
}

function columnOf({ file, pointer, line }: Problem, locator: Locator | undefined): number | null {
  if (pointer === null || line === null || !locator) return null;
  const place = locator.locate(file, [pointer]).get(pointer);
  return place?.line === line ? place.column : null;
}
