import { type Problem, problem } from '../core/problem.ts';
import type { Results } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import type { Plan, Planned } from './plan.ts';
import type { SessionResults } from './session-evaluation.ts';

/**
 * A warning where questions that were put to a model got no answer; none where all were answered, or nobody was asked.
 * With it a run cannot pass: what was not answered may have been what is wrong.
 */
export function unanswered(sessions: readonly SessionResults[], { turn, session }: Plan): Problem[] {
  const ofTurns = askedOf(turn);
  const ofSessions = askedOf(session);
  const missing = sessions.flatMap(({ turns, metrics }) => [
    ...turns.flatMap((results) => withoutAnswer(results, ofTurns)),
    ...withoutAnswer(metrics, ofSessions),
  ]);
  const [first] = missing;
  const file = sessions[0]?.session.source.file;
  if (!first || file === undefined) return [];
  const results = missing.length === 1 ? '1 result' : `${missing.length} results`;
  const message = `The judge left ${results} without an answer, so the run cannot pass. ${first.reason ?? ''}`;
  return [problem('warning', 'judge-unanswered', file, message.trim())];
}

function askedOf(planned: readonly Planned[]): string[] {
  return planned.flatMap(({ metric }) => (metric.asked ? [metric.name] : []));
}

function withoutAnswer(results: Results, names: readonly string[]): Result[] {
  return names.flatMap((name) => {
    const result = results[name];
    return result?.status === 'error' || result?.status === 'cancelled' ? [result] : [];
  });
}
