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
  readonly place: JudgeTarget;
  readonly question: Question;
  readonly asking: AskOptions;
}

const NOT_SELECTED = { status: 'cancelled', reason: 'Only the prompts about another part are wanted.' } as const;

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
  const abouts = new Map<Judge, WeakMap<Session, SessionJudge>>();
  const about = (judge: Judge, session: Session, findings: readonly Finding[]): SessionJudge => {
    const known = abouts.get(judge) ?? new WeakMap<Session, SessionJudge>();
    abouts.set(judge, known);
    const made = known.get(session) ?? judge.forSession(session, findings);
    known.set(session, made);
    return made;
  };
  const overheard = (judge: Judge, metric: string | null): Judge => ({
    ...judge,
    forSession(session, findings = []) {
      const asked = about(judge, session, findings);
      const heard = (place: JudgeTarget, question: Question, asking: AskOptions = {}) =>
        onQuestion({ metric, judge, session, findings, place, question, asking });
      return {
        askTurn: async (index, question, asking) =>
          heard(index, question, asking) ? asked.askTurn(index, question, asking) : NOT_SELECTED,
        askSession: async (question, asking) =>
          heard('session', question, asking) ? asked.askSession(question, asking) : NOT_SELECTED,
      };
    },
  });
  const { defaultJudge: common, byMetric: own } = judges;
  return {
    defaultJudge: common && overheard(common, null),
    byMetric: new Map(
      Array.from(metrics).flatMap((metric) => {
        const judge = own.get(metric) ?? common;
        return judge ? [[metric, overheard(judge, metric)] as const] : [];
      }),
    ),
  };
}
