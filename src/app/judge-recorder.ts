import type { Finding } from '../core/finding.ts';
import type { Session } from '../core/session.ts';
import type { Judges } from '../engine/judges.ts';
import type { Judge, SessionJudge } from '../judge/judge.ts';
import type { AskOptions, JudgeTarget, Question } from '../judge/question.ts';

/** Something that a run asked of a judge. */
export interface RecordedQuestion {
  /** Who asked; null: no metric, but the run itself. */
  readonly metric: string | null;
  readonly judge: Judge;
  readonly session: Session;
  /** What the judge was told that rules proved of the session. */
  readonly findings: readonly Finding[];
  readonly place: JudgeTarget;
  readonly question: Question;
  readonly asking: AskOptions;
}

const NOT_SELECTED = { status: 'cancelled', reason: 'Only the prompts about another part are wanted.' } as const;

/**
 * The same judges, with somebody who hears which metric asks what. What travels together still does: the metrics of a
 * session go on sharing what the judge knows about it.
 *
 * @param metrics all that may ask.
 * @param hear false: this is not to be asked.
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
