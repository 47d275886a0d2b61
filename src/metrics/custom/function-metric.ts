import type { MetricOutcome, Result } from '../../core/result.ts';
import { type Metric, type SessionView, sessionMetric, type TurnView, turnMetric } from '../metric.ts';
import type { FunctionDefinition } from './definition.ts';
import { describeFunction, questionText } from './descriptions.ts';
import { outcomeOfReturn } from './function-result.ts';
import type { FunctionReply, FunctionRunner, FunctionSubject } from './function-runner.ts';

/** A metric that a function of the user's own answers; its scores are `rules`: found without a judge. */
export function functionMetric(metric: FunctionDefinition, functions: FunctionRunner): Metric {
  const { name, scope, scale, threshold = null, optIn, uses = [] } = metric;
  const definition = {
    name,
    question: questionText(metric),
    source: 'a function of your configuration',
    scale,
    threshold,
    needs: [],
    called: true as const,
    uses,
    ...(optIn ? { optIn: true as const } : {}),
  };
  const callFunction = async (view: TurnView | SessionView, about: FunctionSubject, file: string | undefined) => {
    const reply = await functions.call({ metric, session: view.session, subject: about }, view.signal);
    return outcomeOfReply(metric, reply, file);
  };
  return scope === 'turn'
    ? turnMetric({ ...definition, evaluate: (view) => callFunction(view, turnSubject(view, uses), view.turn.file) })
    : sessionMetric({ ...definition, evaluate: (view) => callFunction(view, sessionSubject(view, uses), undefined) });
}

function turnSubject({ index, findings, result }: TurnView, uses: readonly string[]): FunctionSubject {
  return { turn: index, findings, results: byName(uses, (name) => result(name) ?? null) };
}

function sessionSubject({ findings, result, turnResults }: SessionView, uses: readonly string[]): FunctionSubject {
  return {
    turn: null,
    findings,
    results: byName(uses, (name) => result(name) ?? null),
    turnResults: byName(uses, (name) => turnResults(name).map((one) => one ?? null)),
  };
}

function byName<T extends Result | null | readonly (Result | null)[]>(
  names: readonly string[],
  of: (name: string) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(names.map((name) => [name, of(name)]));
}

function outcomeOfReply(metric: FunctionDefinition, reply: FunctionReply, file: string | undefined): MetricOutcome {
  switch (reply.kind) {
    case 'returned':
      return outcomeOfReturn(metric, reply.value, file);
    case 'threw':
      return { status: 'error', reason: `${describeFunction(metric, reply.line)} ${reply.reason}.` };
    case 'lost':
      return { status: 'error', reason: `${describeFunction(metric)} ${reply.reason}.` };
    case 'cancelled':
      return CANCELLED;
  }
}

const CANCELLED: MetricOutcome = Object.freeze({
  status: 'cancelled',
  reason: 'The run was stopped before this was computed.',
});
