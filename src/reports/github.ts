import type { Report } from '../core/report.ts';
import { sanitizeLine } from '../core/sanitize.ts';
import { markdownText } from './markdown.ts';
import type { ReportText, ReportWriter } from './report-writer.ts';
import { repositoryPath } from './repository-file.ts';
import { tableReport } from './table.ts';
import { type TestCase, testSuites } from './test-cases.ts';

/** GitHub shows so many annotations of each level of a step. */
const ANNOTATIONS = 10;
/** In UTF-8 bytes; GitHub takes 1 MiB of a step. */
const SUMMARY_BYTES = 900_000;

/**
 * The table, below the workflow commands that GitHub Actions shows as annotations at the lines of problems:
 * https://docs.github.com/actions/reference/workflow-commands-for-github-actions. What failed is an error, what nothing decided
 * a warning.
 */
export const githubReport: ReportWriter = {
  name: 'github',
  title: 'annotations and the summary of a step of GitHub Actions',
  extension: '.txt',
  mediaType: 'text/plain',
  async *write(report, options) {
    const cases = testSuites(report).flatMap((suite) => suite.cases);
    for (const kind of ['failure', 'error'] as const) {
      // What concerns the whole run comes first: it must not be left out.
      const ofKind = cases
        .filter((one) => one.kind === kind)
        .sort((a, b) => Number(a.file !== null) - Number(b.file !== null));
      for (const one of ofKind.slice(0, ANNOTATIONS)) yield annotation(one, report.run);
    }
    yield* withoutCommands(report, tableReport.write(report, options));
  },
};

/**
 * GitHub Actions looks for commands in every line that a step prints, and traces can have any text: nothing is a command up to a
 * token that nobody can have known when the trace was written.
 */
export async function* withoutCommands({ run }: Pick<Report, 'run'>, text: ReportText): AsyncGenerator<string> {
  const token = `turnwise-${run.id}`;
  yield `::stop-commands::${token}\n`;
  yield* text;
  yield `::${token}::\n`;
}

/** The text for the file that `GITHUB_STEP_SUMMARY` names. */
export function githubSummary(report: Report): Iterable<string> {
  return markdownText(report, SUMMARY_BYTES);
}

function annotation({ kind, name, message, details, file, line }: TestCase, run: Report['run']): string {
  const properties = [
    ...(file === null ? [] : [`file=${property(repositoryPath(file, run))}`]),
    ...(line === null ? [] : [`line=${line}`]),
    `title=${property(name)}`,
  ];
  const text = [message, ...details.slice(0, 1)].map((one) => data(sanitizeLine(one))).join('%0A');
  return `::${kind === 'failure' ? 'error' : 'warning'} ${properties.join(',')}::${text}\n`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(sanitizeLine(text)).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
