import type { Report } from '../core/report.ts';
import { escapeInvisible } from '../core/sanitize.ts';
import { redactJsonValue } from '../core/secrets.ts';
import { compactSession } from './compact.ts';
import type { ReportWriter } from './report-writer.ts';

/** A line per session, for programs that read one after the other. Always compact. */
export const jsonlReport: ReportWriter = {
  name: 'jsonl',
  title: 'a JSON line per session, with its gates and problems',
  extension: '.jsonl',
  mediaType: 'application/jsonl',
  write: sessionLines,
};

function* sessionLines({ schemaVersion, run, sessions, gates, failures, observations, suppressed }: Report) {
  const bySession = <Item extends { readonly session: string }>(items: readonly Item[]) =>
    Map.groupBy(items, ({ session }) => session);
  const gatesOf = Map.groupBy(
    gates.filter(({ scope }) => scope === 'session'),
    ({ subject }) => subject,
  );
  const problemsOf = bySession(failures.flatMap(({ occurrences }) => occurrences));
  const [observationsOf, suppressedOf] = [bySession(observations), bySession(suppressed)];
  for (const session of sessions) {
    const line = {
      schemaVersion,
      run: run.id,
      ...compactSession(session),
      gates: gatesOf.get(session.id) ?? [],
      failures: problemsOf.get(session.id) ?? [],
      observations: observationsOf.get(session.id) ?? [],
      suppressed: suppressedOf.get(session.id) ?? [],
    };
    yield `${escapeInvisible(JSON.stringify(line, redactJsonValue))}\n`;
  }
}
