import type { Report } from '../../core/report.ts';

/** Why nobody judged: questions were asked, and not one of them was answered. Null where one was, or none was asked. */
export function judgeOutage({ undecided, sessions }: Pick<Report, 'undecided' | 'sessions'>): string | null {
  const unanswered = undecided.find(({ code }) => code === 'judge-unanswered');
  if (!unanswered) return null;
  const results = sessions.flatMap(({ metrics, turns }) => [metrics, ...turns.map((turn) => turn.metrics)]);
  const isAnswered = results.some((all) => Object.values(all).some(({ judge }) => judge !== undefined));
  return isAnswered ? null : unanswered.reason;
}
