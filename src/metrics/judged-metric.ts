import type { Evidence, MetricOutcome, ScoreSource } from '../core/result.ts';
import type { Question } from '../judge/question.ts';
import {
  type BoundJudge,
  type MetricDefinition,
  type MetricNeed,
  type SessionMetric,
  type SessionView,
  sessionMetric,
  type TurnMetric,
  type TurnView,
  turnMetric,
} from './metric.ts';
import { combineSamples, type JudgedOutcome } from './shared/judged-outcome.ts';
import { applyCap, type ScoreCap } from './shared/score-cap.ts';
import { textOrEmpty } from './shared/text.ts';

// Outcomes that many turns share are one frozen object each: a trace may have 100,000 turns.

export const NEEDS_JUDGE: MetricOutcome = Object.freeze({
  status: 'needs_judge',
  reason: 'This needs a judge, and no judge is configured.',
});

/** @param reason a sentence that says what is missing. */
export function notApplicable(reason: string): MetricOutcome {
  return Object.freeze({ status: 'not_applicable', reason });
}

/** The score that a metric's source defines when there is nothing to judge. */
export function vacuous(score: number, source: ScoreSource, reason: string): MetricOutcome {
  return Object.freeze({ status: 'vacuous', score, source, reason, verdictInMetadata: true });
}

const AGENT_SPOKE_FIRST = notApplicable('The agent spoke before the user, so there is no request to judge this by.');
const NOT_RECORDED = notApplicable('The messages of this turn were not recorded, so there is nothing to judge.');

/** For metrics of the user's request: not applicable to a turn without one. */
export function requireRequest({ turn }: TurnView): MetricOutcome | null {
  return turn.input === null ? AGENT_SPOKE_FIRST : null;
}

const NO_ANSWER = notApplicable('The turn has no answer to judge.');

/** For metrics of the answer: not applicable to a turn without one, such as after a goodbye. */
export function requireAnswer({ turn }: TurnView): MetricOutcome | null {
  return textOrEmpty(turn.output) === '' ? NO_ANSWER : null;
}

/** For metrics of the answer: not applicable if the trace left it out. */
export function requireRecord({ turn }: TurnView): MetricOutcome | null {
  return turn.captured === false && textOrEmpty(turn.output) === '' ? NOT_RECORDED : null;
}

/** A metric that a judge answers. */
type JudgedMetric<Metric, View, Options, Answer> = Omit<Metric, 'scope' | 'evaluate' | 'needs' | 'usesJudge'> & {
  /** What it needs in addition to a judge. */
  readonly needs?: readonly MetricNeed[];
  /** The outcome if no question is needed: there is nothing to judge, or nothing to judge it by. */
  readonly precheck?: (view: View, options: Options) => MetricOutcome | Promise<MetricOutcome> | null;
  /** The outcome that findings prove, used without a judge. It also caps the judge's score. */
  readonly fromFindings?: (view: View, options: Options) => MetricOutcome | null;
  /** The cap of the judge's score, if it is not the score of `fromFindings`. */
  readonly cap?: (view: View, options: Options) => ScoreCap | null;
  readonly ask: AskDefinition<View, Options, Answer>;
};

/** The question for the judge, and what its answer means. */
export interface AskDefinition<View, Options, Answer> {
  question(view: View, options: Options): Question<Answer>;
  /** @param facts the facts that the question depends on, by name. */
  interpret(answer: Answer, facts: Readonly<Record<string, unknown>>, view: View, options: Options): JudgedOutcome;
  /** Combines several answers; by default, the mean of scores and the majority of votes and labels. */
  combine?(answers: readonly Answer[], view: View, options: Options): JudgedOutcome;
  /** How many answers are combined; undefined: as many as the judge's settings say. */
  samples?(options: Options): number | undefined;
  /** Whether the source system repeats threshold and verdict in the metadata. */
  readonly verdictInMetadata?: true;
}

export function judgedTurn<Options, Answer>(
  metric: JudgedMetric<TurnMetric<Options>, TurnView, Options, Answer>,
): TurnMetric<Options> {
  const { precheck, fromFindings: _fromFindings, cap: _cap, ask: _ask, needs = [], ...definition } = metric;
  return turnMetric({
    ...definition,
    needs: ['judge', ...needs],
    usesJudge: true,
    evaluate: (view, options) => requireRecord(view) ?? precheck?.(view, options) ?? askJudge(view, options, metric),
  });
}

export function judgedSession<Options, Answer>(
  metric: JudgedMetric<SessionMetric<Options>, SessionView, Options, Answer>,
): SessionMetric<Options> {
  const { precheck, fromFindings: _fromFindings, cap: _cap, ask: _ask, needs = [], ...definition } = metric;
  return sessionMetric({
    ...definition,
    needs: ['judge', ...needs],
    usesJudge: true,
    evaluate: (view, options) => precheck?.(view, options) ?? askJudge(view, options, metric),
  });
}

type JudgedFields<View, Options, Answer> = Pick<
  JudgedMetric<MetricDefinition<Options>, View, Options, Answer>,
  'ask' | 'fromFindings' | 'cap' | 'scale'
>;

function askJudge<View extends { readonly judge: BoundJudge | null }, Options, Answer>(
  view: View,
  options: Options,
  metric: JudgedFields<View, Options, Answer>,
): MetricOutcome | Promise<MetricOutcome> {
  const { judge } = view;
  const { ask, fromFindings, cap, scale } = metric;
  const proven = fromFindings?.(view, options) ?? null;
  if (judge === null) return proven ?? NEEDS_JUDGE;
  const limit = cap ? cap(view, options) : capFromOutcome(proven);
  return judge.ask(ask.question(view, options), { samples: ask.samples?.(options) }).then((reply): MetricOutcome => {
    if (reply.status !== 'answered') return reply;
    const { values, facts, judge: name, cite } = reply;
    const [first, ...more] = values;
    const interpret = (answer: Answer) => ask.interpret(answer, facts, view, options);
    const outcome =
      ask.combine?.(values, view, options) ??
      combineSamples([interpret(first), ...more.map(interpret)], scale === 'binary');
    return applyCap(toOutcome(outcome, name, cite, ask.verdictInMetadata), limit);
  });
}

function toOutcome(
  outcome: JudgedOutcome,
  judge: string,
  cite: (ids: readonly string[]) => readonly Evidence[],
  verdictInMetadata: true | undefined,
): MetricOutcome {
  const { reason, cited, evidence: more = [], metadata = {} } = outcome;
  const evidence = [...cite(cited), ...more];
  if ('status' in outcome) return { status: outcome.status, reason, evidence, metadata };
  const details = { source: 'judge' as const, judge, reason, evidence, metadata };
  if ('labels' in outcome) {
    const { labels, failures = [] } = outcome;
    const named = failures.map(({ cited: ids, ...failure }) => ({ ...failure, evidence: cite(ids) }));
    return { status: 'scored', label: labels[0], labels, failures: named, ...details };
  }
  const { score, vacuous: isVacuous } = outcome;
  const status = isVacuous ? 'vacuous' : 'scored';
  return { status, score, ...details, ...(verdictInMetadata ? { verdictInMetadata } : {}) };
}

/** A score that findings prove caps the judge's score. */
function capFromOutcome(proven: MetricOutcome | null): ScoreCap | null {
  if (proven === null || !('score' in proven)) return null;
  const { score, reason, evidence = [], metadata } = proven;
  return { limit: score, reason: reason ?? '', evidence, findings: metadata?.findings };
}
