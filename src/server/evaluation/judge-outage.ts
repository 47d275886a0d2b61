import type { Report } from '../../core/report.ts';

/**
 * Why there are no answers of a judge: questions were asked and none was answered. Null where one was answered or none
 * was asked.
 */
export function judgeOutage({ undecided, sessions }: Pick<Report, 'undecided' | 'sessions'>): string | null {
  const unanswered = undecided.find(({ code }) => code === 'judge-unanswered');
  if (!unanswered) return null;
  const results = sessions.flatMap(({ metrics, turns }) => [metrics, ...turns.map((turn) => turn.metrics)]);
  const isAnswered = results.some((all) => Object.values(all).some(({ judge }) => judge !== undefined));
  return isAnswered ? null : unanswered.reason;
}
