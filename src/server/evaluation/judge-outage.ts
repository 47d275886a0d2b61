import * as l10n from '@vscode/l10n';
import { MODEL_OUTAGE } from '../../core/problem.ts';
import type { Report } from '../../core/report.ts';

/** How the reason of a connection failure reads; other models answered, with what could not be used. */
const NO_CONNECTION =
  /\b(does not answer|did not answer within|cannot be reached|was not found on the network|closed the connection)\b/;

/**
 * Why answers of a judge are missing: the run stopped asking, or no question was answered. Null where one was answered or none
 * was asked.
 */
export function judgeOutage({
  undecided,
  sessions,
  problems,
}: Pick<Report, 'undecided' | 'sessions' | 'problems'>): string | null {
  const outage = problems.find(({ code }) => code === MODEL_OUTAGE);
  if (outage) return l10n.t('Judge not reachable: {0}', outage.message);
  const unanswered = undecided.find(({ code }) => code === 'judge-unanswered');
  if (!unanswered) return null;
  const results = sessions.flatMap(({ metrics, turns }) => [metrics, ...turns.map((turn) => turn.metrics)]);
  const isAnswered = results.some((all) => Object.values(all).some(({ judge }) => judge !== undefined));
  if (isAnswered) return null;
  const { reason, cause } = unanswered;
  return NO_CONNECTION.test(cause ?? '') ? l10n.t('Judge not reachable: {0}', reason) : reason;
}
