import type { Finding } from '../../core/finding.ts';
import type { MetricOutcome, Result } from '../../core/result.ts';
import type { Session } from '../../core/session.ts';
import {
  DEFAULT_CALL_TIMEOUT_MS,
  type FunctionCall,
  type FunctionReply,
  type FunctionRunner,
} from '../../sandbox/function-runner.ts';
import { type Metric, type SessionView, sessionMetric, type TurnView, turnMetric } from '../metric.ts';
import type { FunctionDefinition } from './definition.ts';
import { describeFunction, questionText } from './descriptions.ts';
import { outcomeOfReturn } from './function-result.ts';

/** A metric computed by a user's function. Its results have the source `rules`, because no judge is involved. */
export function functionMetric(metric: FunctionDefinition, functions: FunctionRunner): Metric {
  const { name, scope, scale, threshold = null, optIn, uses = [] } = metric;
  const definition = {
    name,
    question: questionText(metric),
    source: 'a function of your configuration',
    scale,
    threshold,
    needs: [],
    isUserFunction: true as const,
    uses,
    ...(optIn ? { optIn: true as const } : {}),
  };
  const call = async (view: TurnView | SessionView, subject: FunctionSubject, file: string | undefined) => {
    const reply = await functions.call(functionCall(metric, view.session, subject), view.signal);
    return outcomeOfReply(metric, reply, file);
  };
  return scope === 'turn'
    ? turnMetric({ ...definition, evaluate: (view) => call(view, turnSubject(view, uses), view.turn.file) })
    : sessionMetric({ ...definition, evaluate: (view) => call(view, sessionSubject(view, uses), undefined) });
}

/** The subject of a call, in addition to the session. */
interface FunctionSubject {
  /** Zero-based index of the turn; null: the session as a whole. */
  readonly turn: number | null;
  readonly findings: readonly Finding[];
  readonly results: Readonly<Record<string, Result | null>>;
  /** Only of a session as a whole. */
  readonly turnResults?: Readonly<Record<string, readonly (Result | null)[]>>;
}

/** `evaluate(turn, { session, index, … })`, or `evaluate(session, { … })`; a process gets each session once. */
function functionCall(
  { name, evaluate, timeoutMs = DEFAULT_CALL_TIMEOUT_MS }: FunctionDefinition,
  session: Session,
  { turn, ...context }: FunctionSubject,
): FunctionCall {
  const call = { name, fn: evaluate, timeoutMs };
  if (turn === null) {
    return { ...call, args: [null, context], shared: [{ value: session, from: [], to: [0] }] };
  }
  return {
    ...call,
    args: [null, { session: null, index: turn, ...context }],
    shared: [
      { value: session, from: ['turns', turn], to: [0] },
      { value: session, from: [], to: [1, 'session'] },
    ],
  };
}

function turnSubject({ index, findings, result }: TurnView, uses: readonly string[]): FunctionSubject {
  return { turn: index, findings, results: byName(uses, (name) => result(name) ?? null) };
}

function sessionSubject({ findings, result, turnResults }: SessionView, uses: readonly string[]): FunctionSubject {
  return {
    turn: null,
    findings,
    results: byName(uses, (name) => result(name) ?? null),
    turnResults: byName(uses, (name) => turnResults(name).map((result) => result ?? null)),
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
