import type { Report } from '../core/report.ts';
import { escapeInvisible } from '../core/sanitize.ts';
import { redactJsonValue } from '../core/secrets.ts';
import { sessionCompactor } from './compact.ts';
import type { ReportWriter } from './report-writer.ts';

/** A line per session, for programs that read one after the other, then one for the run. Always compact. */
export const jsonlReport: ReportWriter = {
  name: 'jsonl',
  title: 'a JSON line per session, with its gates and problems, and one for the run',
  extension: '.jsonl',
  mediaType: 'application/jsonl',
  write: jsonLines,
};

function* jsonLines(report: Report) {
  const { schemaVersion, run, sessions, failures, observations, suppressed, ...ofRun } = report;
  const bySession = <Item extends { readonly session: string }>(items: readonly Item[]) =>
    Map.groupBy(items, ({ session }) => session);
  const gatesOf = Map.groupBy(report.gates, ({ scope, subject }) => (scope === 'session' ? subject : null));
  const problemsOf = bySession(failures.flatMap(({ occurrences }) => occurrences));
  const [observationsOf, suppressedOf] = [bySession(observations), bySession(suppressed)];
  const compactSession = sessionCompactor(report);
  for (const session of sessions) {
    yield toLine({
      schemaVersion,
      run: run.id,
      ...compactSession(session),
      gates: gatesOf.get(session.id) ?? [],
      failures: problemsOf.get(session.id) ?? [],
      observations: observationsOf.get(session.id) ?? [],
      suppressed: suppressedOf.get(session.id) ?? [],
    });
  }
  yield toLine({
    schemaVersion,
    run,
    ...ofRun,
    gates: gatesOf.get(null) ?? [],
    failures: failures.map(({ occurrences: _, ...group }) => group),
  });
}

function toLine(value: object): string {
  return `${escapeInvisible(JSON.stringify(value, redactJsonValue))}\n`;
}
