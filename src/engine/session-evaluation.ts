import type { Finding } from '../core/finding.ts';
import type { Results } from '../core/report.ts';
import type { Outcome, Result } from '../core/result.ts';
import type { ImportedScores, Session, Turn } from '../core/session.ts';
import type { Embedder } from '../embed/embedder.ts';
import type { Asker, Metric, SessionView, TurnView } from '../metrics/metric.ts';
import { wordSet } from '../metrics/shared/text.ts';
import { aggregateTurns } from './aggregate.ts';
import { askersFor, type Judges } from './asking.ts';
import { Embeddings } from './embeddings.ts';
import type { Plan, Planned } from './plan.ts';
import { recent } from './recent.ts';
import { CANCELLED, failed, foreignScores, framer, importedOutcome, messageOf, namesOf } from './results.ts';
import { type Missing, STOPPED, Unanswered } from './unanswered.ts';
import { inWindow } from './window.ts';

/** What the metrics found in one session. */
export interface SessionResults {
  readonly session: Session;
  readonly findings: readonly Finding[];
  /** One entry per turn; empty where the turn was not to be evaluated. */
  readonly turns: readonly Results[];
  /** How many of its turns were to be evaluated. */
  readonly turnsEvaluated: number;
  readonly metrics: Results;
  /** With it, the session cannot pass. */
  readonly missing: readonly Missing[];
}

export interface SessionEvaluator {
  /** @param only the index of the only turn to evaluate; the others remain its context. */
  evaluate(
    session: Session,
    findings: readonly Finding[],
    only: number | undefined,
    onTurn: (index: number, metrics: Results) => void,
  ): Promise<SessionResults>;
  readonly usage: { embeddedTexts: number };
}

export interface EvaluatorInput {
  readonly plan: Plan;
  readonly judges: Judges;
  readonly embedder: Embedder | null;
  /** How many turns of a session may wait for a model at once. */
  readonly width: number;
  /** How many rules look at the sessions. */
  readonly rulesLooked: number;
  readonly signal: AbortSignal;
  /** Called between turns; what it returns is waited for. */
  readonly pause: () => Promise<void> | undefined;
}

/** Evaluates sessions one after the other under one plan. Aborting gives `cancelled` results from there on. */
export function sessionEvaluator({
  plan,
  judges,
  embedder,
  width,
  rulesLooked,
  signal,
  pause,
}: EvaluatorInput): SessionEvaluator {
  const turnSteps = plan.turn.map((planned) => ({ planned, frame: framer(planned) }));
  const sessionSteps = plan.session.map((planned) => ({ planned, frame: framer(planned) }));
  const turnNames = namesOf(plan.turn);
  const sessionNames = namesOf([...plan.turn, ...plan.session]);
  const emptyTurn = blank(plan.turn.map(({ metric }) => metric.name));
  const usage = { embeddedTexts: 0 };

  async function evaluate(
    session: Session,
    findings: readonly Finding[],
    only: number | undefined,
    onTurn: (index: number, metrics: Results) => void,
  ): Promise<SessionResults> {
    const embeddings = new Embeddings(embedder, signal);
    const askers = askersFor(session, findings, judges);
    const unanswered = new Unanswered();
    const context = {
      session,
      embedder,
      signal,
      embed: (texts: readonly string[]) => embeddings.embed(texts),
      words: recent(wordSet),
    };
    const findingsOfTurn = groupByTurn(findings);
    const turns: Results[] = session.turns.map(() => NOT_EVALUATED);
    const finish = (index: number, metrics: Results) => {
      turns[index] = metrics;
      onTurn(index, metrics);
      return pause();
    };
    await inWindow(session.turns.entries(), width, ([index, turn]) => {
      if (only !== undefined && index !== only) return;
      const metrics: Record<string, Result> = { ...emptyTurn };
      const view: TurnView = {
        ...context,
        turn,
        index,
        findings: findingsOfTurn.get(index) ?? NONE,
        rulesLooked,
        judge: null,
        result: (name) => metrics[name] ?? undefined,
      };
      const asked = answerAll(turnSteps, metrics, { scores: turn.scores, signal, unanswered }, ({ metric, options }) =>
        metric.evaluate(asking(view, askers.turn(metric.name, index)), options),
      );
      const done = () => {
        addForeign(metrics, turn, turnNames);
        return finish(index, metrics);
      };
      return asked ? asked.then(done) : done();
    });

    const metrics: Record<string, Result> = {};
    const view: SessionView = {
      ...context,
      findings,
      judge: null,
      turnResults: (name) => turns.map((results) => results[name]),
      result: (name) => metrics[name],
    };
    await answerAll(sessionSteps, metrics, { scores: session.scores, signal, unanswered }, ({ metric, options }) =>
      metric.evaluate(asking(view, askers.session(metric.name)), options),
    );
    for (const { planned, frame } of turnSteps) {
      const { name } = planned.metric;
      const carried = importedOutcome(planned, session.scores);
      const results = turns.flatMap((turn) => turn[name] ?? []);
      metrics[name] = carried ? frame(carried) : aggregateTurns(results, planned.frame);
    }
    addForeign(metrics, session, sessionNames);
    usage.embeddedTexts += embeddings.embeddedTexts;
    const turnsEvaluated = turns.filter((results) => results !== NOT_EVALUATED).length;
    return { session, findings, turns, turnsEvaluated, metrics, missing: unanswered.list() };
  }

  return { evaluate, usage };
}

/**
 * An object that has a key for each name already, to be copied and filled. A trace has many turns and a turn many
 * results: objects that are copied share one layout, where objects that are filled key by key become hash tables of
 * several times the size.
 */
function blank(names: readonly string[]): Readonly<Record<string, Result>> {
  return JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, null]))));
}

/** Without a judge, all metrics of a turn share one view. */
function asking<View extends TurnView | SessionView>(view: View, judge: Asker | null): View {
  return judge ? { ...view, judge } : view;
}

const NONE: readonly Finding[] = Object.freeze([]);
const NOT_EVALUATED: Results = Object.freeze({});

/** A metric that will run, and what makes results of its outcomes. */
interface Step<M extends Metric> {
  readonly planned: Planned<M>;
  readonly frame: (outcome: Outcome) => Result;
}

/** What metrics are answered under. */
interface Answering {
  readonly scores: ImportedScores | undefined;
  readonly signal: AbortSignal;
  /** Hears of all that went without an answer. */
  readonly unanswered: Unanswered;
}

/**
 * Evaluates metrics in the order of the plan into `metrics`. One that reads others waits for those that a model has yet
 * to answer; all others go on. @returns what to wait for, if anything.
 */
function answerAll<M extends Metric>(
  steps: readonly Step<M>[],
  metrics: Record<string, Result>,
  answering: Answering,
  evaluate: (planned: Planned<M>) => Outcome | Promise<Outcome>,
): Promise<unknown> | undefined {
  const waiting = new Map<string, Promise<void>>();
  for (const { planned, frame } of steps) {
    const { name, uses = [] } = planned.metric;
    const before = waiting.size === 0 ? [] : uses.flatMap((used) => waiting.get(used) ?? []);
    const start = () => answer(planned, answering, () => evaluate(planned));
    const outcome = before.length === 0 ? start() : Promise.all(before).then(start);
    const settle = (settled: Outcome) => {
      metrics[name] = frame(settled);
    };
    if (outcome instanceof Promise) waiting.set(name, outcome.then(settle));
    else settle(outcome);
  }
  return waiting.size === 0 ? undefined : Promise.all(waiting.values());
}

/**
 * What the file says wins; a metric that throws is an `error` of its own and loses nothing else. Most metrics answer at
 * once: a promise for each of them would cost more than they do.
 */
function answer(
  planned: Planned,
  answering: Answering,
  evaluate: () => Outcome | Promise<Outcome>,
): Outcome | Promise<Outcome> {
  const carried = importedOutcome(planned, answering.scores);
  if (carried) return carried;
  if (answering.signal.aborted) return stopped(planned, answering);
  try {
    const outcome = evaluate();
    if (!(outcome instanceof Promise)) return heard(outcome, planned, answering);
    return outcome.then(
      (answered) => heard(answered, planned, answering),
      (error: unknown) => thrown(error, planned, answering),
    );
  } catch (error) {
    return thrown(error, planned, answering);
  }
}

/** Passes on an outcome. One that is made of other results alone is missing where those are. */
function heard(outcome: Outcome, { metric }: Planned, { signal, unanswered }: Answering): Outcome {
  const { status, reason } = outcome;
  if (status !== 'error' && status !== 'cancelled') return outcome;
  if (!metric.asked && !metric.called) return outcome;
  if (status === 'cancelled' && signal.aborted) unanswered.add('interrupted', metric.name, STOPPED);
  else unanswered.add(metric.asked ? 'judge-unanswered' : 'function-failed', metric.name, reason);
  return outcome;
}

function thrown(error: unknown, planned: Planned, answering: Answering): Outcome {
  if (answering.signal.aborted) return stopped(planned, answering);
  const { name } = planned.metric;
  answering.unanswered.add('metric-failed', name, messageOf(error));
  return failed(name, error);
}

function stopped({ metric: { name } }: Planned, { unanswered }: Answering): Outcome {
  unanswered.add('interrupted', name, STOPPED);
  return CANCELLED;
}

/** The names come from a file: defined rather than assigned, so that none of them can be special. */
function addForeign(metrics: Record<string, Result>, { scores }: Session | Turn, known: ReadonlySet<string>): void {
  for (const [name, value] of foreignScores(scores, known)) {
    Object.defineProperty(metrics, name, { value, enumerable: true, writable: true, configurable: true });
  }
}

function groupByTurn(findings: readonly Finding[]): Map<number, Finding[]> {
  const groups = new Map<number, Finding[]>();
  for (const finding of findings) {
    const group = groups.get(finding.turn);
    if (group) group.push(finding);
    else groups.set(finding.turn, [finding]);
  }
  return groups;
}
