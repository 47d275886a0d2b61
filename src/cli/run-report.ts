import { relative, resolve } from 'node:path';
import { baselinePath, readBaseline } from '../app/baseline-file.ts';
import { findProject } from '../app/git-state.ts';
import type { Problem } from '../core/problem.ts';
import type { Report } from '../core/report.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import type { FileSummary, Locator } from '../input/load.ts';
import { sanitizeLine } from '../reports/terminal-text.ts';
import type { EvalArguments } from './eval-options.ts';
import type { CommandHost } from './host.ts';
import { printProblems } from './print-problems.ts';
import { UsageError } from './usage-error.ts';

export function withProblems(report: Report, before: readonly Problem[]): Report {
  return before.length === 0 ? report : { ...report, problems: [...before, ...report.problems] };
}

const MAX_SKIPPED_FILES = 5;

/** Printed after the report, so that problems are visible at the end. */
export async function printRunProblems(
  report: Report,
  files: readonly FileSummary[],
  locator: Locator,
  args: Pick<EvalArguments, 'quiet' | 'verbose'>,
  host: CommandHost,
): Promise<void> {
  await printProblems(host, report.problems, { ...args, locator });
  if (args.quiet) return;
  if (args.verbose) {
    for (const { file, format, reason } of files) {
      if (format !== null) await host.stderr.write(`${sanitizeLine(file)}: ${format}, ${sanitizeLine(reason)}\n`);
    }
  }
  const skipped = files.filter((file) => file.skipped);
  const listed = args.verbose ? skipped : skipped.slice(0, MAX_SKIPPED_FILES);
  for (const { file, reason } of listed)
    await host.stderr.write(`${sanitizeLine(file)}: skipped, not a trace: ${sanitizeLine(reason)}\n`);
  const left = skipped.length - listed.length;
  if (left > 0) await host.stderr.write(`and ${left} more skipped; --verbose lists them\n`);
}

/** Says why the exit code is 2 although there are results. Without results, the errors alone say it. */
export async function explainInputErrors(
  { sessions, problems, verdict }: Pick<Report, 'sessions' | 'problems' | 'verdict'>,
  { quiet }: Pick<EvalArguments, 'quiet'>,
  { stderr }: CommandHost,
): Promise<void> {
  const errors = problems.filter(isError).length;
  if (quiet || sessions.length === 0) return;
  const evaluated =
    sessions.length === 1 ? 'session that was evaluated' : `${sessions.length} sessions that were evaluated`;
  await stderr.write(
    `Exit code ${EXIT_CODES.input}: ${pluralize(errors, 'error')} above. The verdict of the ${evaluated} is "${verdict}".\n`,
  );
}

/** The baseline of `--baseline`; null without it. @throws UsageError where the run is not recorded. */
export async function openBaseline(
  { baseline, record }: Pick<EvalArguments, 'baseline' | 'record'>,
  { cwd }: CommandHost,
  signal: AbortSignal,
) {
  if (baseline === undefined) return null;
  if (record === 'none') {
    throw new UsageError(
      '--baseline compares what is recorded, and --record none records nothing. Remove one of them.',
    );
  }
  const path = baseline === true ? await baselinePath(cwd, await findProject(cwd)) : resolve(cwd, baseline);
  const file = relative(cwd, path);
  return { file, read: await readBaseline(path, file, signal) };
}

export function isError({ severity }: Problem): boolean {
  return severity === 'error';
}
