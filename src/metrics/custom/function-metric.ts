import type { MetricOutcome, Result } from '../../core/result.ts';
import { type Metric, type SessionView, sessionMetric, type TurnView, turnMetric } from '../metric.ts';
import { outcomeOf } from './answer.ts';
import type { FunctionDefinition } from './definition.ts';
import type { Functions, Reply, Subject } from './functions.ts';
import { functionOf, questionOf } from './wording.ts';

/** A metric that a function of the user's own answers; its scores are `rules`: found without a judge. */
export function functionMetric(metric: FunctionDefinition, functions: Functions): Metric {
  const { name, scope, scale, threshold = null, optIn, uses = [] } = metric;
  const definition = {
    name,
    question: questionOf(metric),
    source: 'a function of your configuration',
    scale,
    threshold,
    needs: [],
    called: true as const,
    uses,
    ...(optIn ? { optIn: true as const } : {}),
  };
  const called = async (view: TurnView | SessionView, about: Subject, file: string | undefined) => {
    const reply = await functions.call({ metric, session: view.session, about }, view.signal);
    return concluded(metric, reply, file);
  };
  return scope === 'turn'
    ? turnMetric({ ...definition, evaluate: (view) => called(view, ofTurn(view, uses), view.turn.file) })
    : sessionMetric({ ...definition, evaluate: (view) => called(view, ofSession(view, uses), undefined) });
}

function ofTurn({ index, findings, result }: TurnView, uses: readonly string[]): Subject {
  return { turn: index, findings, results: named(uses, (name) => result(name) ?? null) };
}

function ofSession({ findings, result, turnResults }: SessionView, uses: readonly string[]): Subject {
  return {
    turn: null,
    findings,
    results: named(uses, (name) => result(name) ?? null),
    turnResults: named(uses, (name) => turnResults(name).map((one) => one ?? null)),
  };
}

function named<T extends Result | null | readonly (Result | null)[]>(
  names: readonly string[],
  of: (name: string) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(names.map((name) => [name, of(name)]));
}

function concluded(metric: FunctionDefinition, reply: Reply, file: string | undefined): MetricOutcome {
  switch (reply.kind) {
    case 'returned':
      return outcomeOf(metric, reply.value, file);
    case 'threw':
      return { status: 'error', reason: `${functionOf(metric, reply.line)} ${reply.reason}.` };
    case 'lost':
      return { status: 'error', reason: `${functionOf(metric)} ${reply.reason}.` };
    case 'cancelled':
      return CANCELLED;
  }
}

const CANCELLED: MetricOutcome = Object.freeze({
  status: 'cancelled',
  reason: 'The run was stopped before this was computed.',
});
