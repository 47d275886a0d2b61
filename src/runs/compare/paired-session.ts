import type { PairedSession } from '../../core/run-comparison.ts';
import type { SessionRow } from '../../core/run-record.ts';

export function toPairedSession({
  id,
  file,
  line,
  task,
  verdict,
  outcome,
  headline,
  severity,
}: SessionRow): PairedSession {
  return { id, file, line, trial: task?.trial ?? null, verdict, outcome: outcome.status, headline, severity };
}
