import type { Finding } from '../core/finding.ts';
import type { Session } from '../core/session.ts';
import type { Judges } from '../engine/judges.ts';
import type { Judge, SessionJudge } from '../judge/judge.ts';
import type { AskOptions, JudgeTarget, Question } from '../judge/question.ts';

/** A question that a run asked a judge. */
export interface RecordedQuestion {
  /** The metric that asked; null for the run itself. */
  readonly metric: string | null;
  readonly judge: Judge;
  readonly session: Session;
  /** The findings that were passed to the judge. */
  readonly findings: readonly Finding[];
  readonly target: JudgeTarget;
  readonly question: Question;
  readonly asking: AskOptions;
}

const NOT_SELECTED = { status: 'cancelled', reason: 'Not part of this preview.' } as const;

/**
 * Wraps judges to record which metric asks which question. Batching stays as it is: the metrics of a session still share
 * its judge.
 *
 * @param metrics all that may ask.
 * @param onQuestion returns false to skip the question.
 */
export function recordJudges(
  judges: Judges,
  metrics: Iterable<string>,
  onQuestion: (ask: RecordedQuestion) => boolean,
): Judges {
  const sessionJudges = new Map<Judge, WeakMap<Session, SessionJudge>>();
  const about = (judge: Judge, session: Session, findings: readonly Finding[]): SessionJudge => {
    const known = sessionJudges.get(judge) ?? new WeakMap<Session, SessionJudge>();
    sessionJudges.set(judge, known);
    const created = known.get(session) ?? judge.forSession(session, findings);
    known.set(session, created);
    return created;
  };
  const recordingJudge = (judge: Judge, metric: string | null): Judge => ({
    ...judge,
    forSession(session, findings = []) {
      const inner = about(judge, session, findings);
      const isSelected = (target: JudgeTarget, question: Question, asking: AskOptions = {}) =>
        onQuestion({ metric, judge, session, findings, target, question, asking });
      return {
        usage: inner.usage,
        askTurn: async (index, question, asking) =>
          isSelected(index, question, asking) ? inner.askTurn(index, question, asking) : NOT_SELECTED,
        askSession: async (question, asking) =>
          isSelected('session', question, asking) ? inner.askSession(question, asking) : NOT_SELECTED,
      };
    },
  });
  const { defaultJudge: common, byMetric: own } = judges;
  return {
    defaultJudge: common && recordingJudge(common, null),
    byMetric: new Map(
      Array.from(metrics).flatMap((metric) => {
        const judge = own.get(metric) ?? common;
        return judge ? [[metric, recordingJudge(judge, metric)] as const] : [];
      }),
    ),
  };
}
