import type { PairedSession } from '../../core/run-comparison.ts';
import type { RecordedSession } from '../../core/run-record.ts';

export function toPairedSession({
  id,
  file,
  line,
  task,
  verdict,
  outcome,
  headline,
  severity,
}: RecordedSession): PairedSession {
  return { id, file, line, trial: task?.trial ?? null, verdict, outcome: outcome.status, headline, severity };
}
