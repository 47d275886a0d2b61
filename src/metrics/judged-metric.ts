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

// Outcomes that are the same for many turns are one frozen object each: a trace may have 100,000 turns.

export const NEEDS_JUDGE: MetricOutcome = Object.freeze({
  status: 'needs_judge',
  reason: 'Only a model can judge this, and none is asked; choose one with --judge or in the configuration.',
});

/** `reason`: a sentence that says what is missing. */
export function notApplicable(reason: string): MetricOutcome {
  return Object.freeze({ status: 'not_applicable', reason });
}

/** The score that a metric's source gives where there is nothing to judge. */
export function vacuous(score: number, source: ScoreSource, reason: string): MetricOutcome {
  return Object.freeze({ status: 'vacuous', score, source, reason, verdictInMetadata: true });
}

const AGENT_SPOKE_FIRST = notApplicable(
  'The agent spoke before any user did, so there is no request to judge this by.',
);
const NOT_RECORDED = notApplicable('What was said in this turn was not recorded, so there is nothing to judge.');

/** For metrics of the user's request: a turn without one has no answer. */
export function requireRequest({ turn }: TurnView): MetricOutcome | null {
  return turn.input === null ? AGENT_SPOKE_FIRST : null;
}

const NO_ANSWER = notApplicable('The turn has no answer, so there is none to judge.');

/** For metrics of the answer: a turn without one, such as after a goodbye, has nothing to judge. */
export function requireAnswer({ turn }: TurnView): MetricOutcome | null {
  return textOrEmpty(turn.output) === '' ? NO_ANSWER : null;
}

/** For metrics of the answer: one that the trace left out cannot be judged. */
export function requireRecord({ turn }: TurnView): MetricOutcome | null {
  return turn.captured === false && textOrEmpty(turn.output) === '' ? NOT_RECORDED : null;
}

/** A metric that a model answers. */
type JudgedMetric<Metric, View, Options, Answer> = Omit<Metric, 'scope' | 'evaluate' | 'needs' | 'asked'> & {
  /** What it needs beside a judge. */
  readonly needs?: readonly MetricNeed[];
  /** The outcome where no question has to be asked: nothing to judge, or nothing to judge it by. */
  readonly precheck?: (view: View, options: Options) => MetricOutcome | null;
  /** What findings prove, where no model is there to be asked. A model's score is not above one that they prove. */
  readonly fromFindings?: (view: View, options: Options) => MetricOutcome | null;
  /** The most that findings leave of a model's score, where that is not the score that `proven` has. */
  readonly cap?: (view: View, options: Options) => ScoreCap | null;
  readonly ask: AskDefinition<View, Options, Answer>;
};

/** What is asked of a model, and what its answer means. */
export interface AskDefinition<View, Options, Answer> {
  question(view: View, options: Options): Question<Answer>;
  /** @param facts what the question rested on, by the names of the facts. */
  interpret(answer: Answer, facts: Readonly<Record<string, unknown>>, view: View, options: Options): JudgedOutcome;
  /** What several answers come to, where that is neither the mean of the scores nor what most of them say. */
  combine?(answers: readonly Answer[], view: View, options: Options): JudgedOutcome;
  /** How often it is asked before the answers are put together; undefined: as often as the judge's settings say. */
  samples?(options: Options): number | undefined;
  /** Whether the source system repeats threshold and verdict in the metadata. */
  readonly verdictInMetadata?: true;
}

export function judgedTurn<Options, Answer>(
  metric: JudgedMetric<TurnMetric<Options>, TurnView, Options, Answer>,
): TurnMetric<Options> {
  const { precheck: settled, fromFindings: proven, cap, ask: asks, needs = [], ...definition } = metric;
  return turnMetric({
    ...definition,
    needs: ['judge', ...needs],
    usesJudge: true,
    evaluate: (view, options) => requireRecord(view) ?? settled?.(view, options) ?? askJudge(view, options, metric),
  });
}

export function judgedSession<Options, Answer>(
  metric: JudgedMetric<SessionMetric<Options>, SessionView, Options, Answer>,
): SessionMetric<Options> {
  const { precheck: settled, fromFindings: proven, cap, ask: asks, needs = [], ...definition } = metric;
  return sessionMetric({
    ...definition,
    needs: ['judge', ...needs],
    usesJudge: true,
    evaluate: (view, options) => settled?.(view, options) ?? askJudge(view, options, metric),
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
  const { ask: asks, fromFindings: proven, cap, scale } = metric;
  const found = proven?.(view, options) ?? null;
  if (judge === null) return found ?? NEEDS_JUDGE;
  const most = cap ? cap(view, options) : capFromOutcome(found);
  return judge
    .ask(asks.question(view, options), { samples: asks.samples?.(options) })
    .then((answered): MetricOutcome => {
      if (answered.status !== 'answered') return answered;
      const { values, facts, judge: name, cite } = answered;
      const [first, ...more] = values;
      const conclude = (answer: Answer) => asks.interpret(answer, facts, view, options);
      const conclusion =
        asks.combine?.(values, view, options) ??
        combineSamples([conclude(first), ...more.map(conclude)], scale === 'binary');
      return applyCap(toOutcome(conclusion, name, cite, asks.verdictInMetadata), most);
    });
}

function toOutcome(
  conclusion: JudgedOutcome,
  judge: string,
  cite: (ids: readonly string[]) => readonly Evidence[],
  verdictInMetadata: true | undefined,
): MetricOutcome {
  const { reason, cited, evidence: places = [], metadata = {} } = conclusion;
  const evidence = [...cite(cited), ...places];
  if ('status' in conclusion) return { status: conclusion.status, reason, evidence, metadata };
  const details = { source: 'judge' as const, judge, reason, evidence, metadata };
  if ('labels' in conclusion) {
    const { labels, failures = [] } = conclusion;
    const named = failures.map(({ cited: ids, ...failure }) => ({ ...failure, evidence: cite(ids) }));
    return { status: 'scored', label: labels[0], labels, failures: named, ...details };
  }
  const { score, vacuous: isVacuous } = conclusion;
  const status = isVacuous ? 'vacuous' : 'scored';
  return { status, score, ...details, ...(verdictInMetadata ? { verdictInMetadata } : {}) };
}

/** A score that findings prove is the most that a judge can give. */
function capFromOutcome(found: MetricOutcome | null): ScoreCap | null {
  if (found === null || !('score' in found)) return null;
  const { score, reason, evidence = [], metadata } = found;
  return { limit: score, reason: reason ?? '', evidence, findings: metadata?.findings };
}
