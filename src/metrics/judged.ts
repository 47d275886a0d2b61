import type { Outcome, ScoreSource } from '../core/result.ts';
import type { Question } from '../judge/question.ts';
import {
  type Asker,
  type Definition,
  type Need,
  type SessionMetric,
  type SessionView,
  sessionMetric,
  type TurnMetric,
  type TurnView,
  turnMetric,
} from './metric.ts';
import { bySamples, type Conclusion } from './shared/conclusion.ts';
import { readable } from './shared/text.ts';

// Outcomes that are the same for many turns are one frozen object each: a trace may have 100,000 turns.

export const NEEDS_JUDGE: Outcome = Object.freeze({
  status: 'needs_judge',
  reason: 'Only a model can judge this, and none is asked; choose one with --judge or in the configuration.',
});

const NOT_ASKED_YET: Outcome = Object.freeze({
  status: 'needs_judge',
  reason: 'Only a model can judge this, and this version of Turnwise does not ask it of one yet.',
});

/** `reason`: a sentence that says what is missing. */
export function notApplicable(reason: string): Outcome {
  return Object.freeze({ status: 'not_applicable', reason });
}

/** The score that a metric's source gives where there is nothing to judge. */
export function vacuous(score: number, source: ScoreSource, reason: string): Outcome {
  return Object.freeze({ status: 'vacuous', score, source, reason, verdictInMetadata: true });
}

const AGENT_SPOKE_FIRST = notApplicable(
  'The agent spoke before any user did, so there is no request to judge this by.',
);
const NOT_RECORDED = notApplicable('What was said in this turn was not recorded, so there is nothing to judge.');

/** For metrics of the user's request: a turn without one has no answer. */
export function withoutRequest({ turn }: TurnView): Outcome | null {
  return turn.input === null ? AGENT_SPOKE_FIRST : null;
}

const NO_ANSWER = notApplicable('The turn has no answer, so there is none to judge.');

/** For metrics of the answer: a turn without one, such as after a goodbye, has nothing to judge. */
export function withoutAnswer({ turn }: TurnView): Outcome | null {
  return readable(turn.output) === '' ? NO_ANSWER : null;
}

/** For metrics of the answer: one that the trace left out cannot be judged. */
export function withoutRecord({ turn }: TurnView): Outcome | null {
  return turn.captured === false && readable(turn.output) === '' ? NOT_RECORDED : null;
}

/** A metric that a model answers. */
type Judged<Metric, View, Options, Answer> = Omit<Metric, 'scope' | 'evaluate' | 'needs' | 'asked'> & {
  /** What it needs beside a judge. */
  readonly needs?: readonly Need[];
  /** The outcome where no question has to be asked: nothing to judge, or nothing to judge it by. */
  readonly settled?: (view: View, options: Options) => Outcome | null;
  /** What findings prove, where no model is there to be asked. */
  readonly proven?: (view: View, options: Options) => Outcome | null;
  readonly asks?: Asks<View, Options, Answer>;
};

/** What is asked of a model, and what its answer means. */
export interface Asks<View, Options, Answer> {
  question(view: View, options: Options): Question<Answer>;
  /** @param facts what the question rested on, by the names of the facts. */
  conclude(answer: Answer, facts: Readonly<Record<string, unknown>>, view: View, options: Options): Conclusion;
  /** Whether the source system repeats threshold and verdict in the metadata. */
  readonly verdictInMetadata?: true;
}

export function judgedTurn<Options, Answer>(
  metric: Judged<TurnMetric<Options>, TurnView, Options, Answer>,
): TurnMetric<Options> {
  const { settled, proven, asks, needs = [], ...definition } = metric;
  return turnMetric({
    ...definition,
    needs: ['judge', ...needs],
    ...(asks ? { asked: true as const } : {}),
    evaluate: (view, options) => withoutRecord(view) ?? settled?.(view, options) ?? judged(view, options, metric),
  });
}

export function judgedSession<Options, Answer>(
  metric: Judged<SessionMetric<Options>, SessionView, Options, Answer>,
): SessionMetric<Options> {
  const { settled, proven, asks, needs = [], ...definition } = metric;
  return sessionMetric({
    ...definition,
    needs: ['judge', ...needs],
    ...(asks ? { asked: true as const } : {}),
    evaluate: (view, options) => settled?.(view, options) ?? judged(view, options, metric),
  });
}

function judged<View extends { readonly judge: Asker | null }, Options, Answer>(
  view: View,
  options: Options,
  { asks, proven, scale }: Pick<Judged<Definition<Options>, View, Options, Answer>, 'asks' | 'proven' | 'scale'>,
): Outcome | Promise<Outcome> {
  const { judge } = view;
  if (judge === null || !asks) return proven?.(view, options) ?? (judge === null ? NEEDS_JUDGE : NOT_ASKED_YET);
  return judge.ask(asks.question(view, options)).then((answered): Outcome => {
    if (answered.status !== 'answered') return answered;
    const { values, facts, judge: name, cite } = answered;
    const [first, ...more] = values.map((value) => asks.conclude(value, facts, view, options));
    if (!first) return { status: 'error', reason: `${name} gave no answer.` };
    const { metadata = {}, ...chosen } = more.length === 0 ? first : bySamples([first, ...more], scale === 'binary');
    return {
      status: 'scored',
      ...('score' in chosen ? { score: chosen.score } : { label: chosen.labels[0], labels: chosen.labels }),
      source: 'judge',
      judge: name,
      reason: chosen.reason,
      evidence: cite(chosen.cited),
      metadata,
      ...(asks.verdictInMetadata ? { verdictInMetadata: true } : {}),
    };
  });
}
