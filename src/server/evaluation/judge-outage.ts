import { MODEL_OUTAGE } from '../../core/problem.ts';
import type { Report } from '../../core/report.ts';

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
  if (outage) return outage.message;
  const unanswered = undecided.find(({ code }) => code === 'judge-unanswered');
  if (!unanswered) return null;
  const results = sessions.flatMap(({ metrics, turns }) => [metrics, ...turns.map((turn) => turn.metrics)]);
  const isAnswered = results.some((all) => Object.values(all).some(({ judge }) => judge !== undefined));
  return isAnswered ? null : unanswered.reason;
}
