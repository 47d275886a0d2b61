import * as z from 'zod';
import { errorMessage } from '../../core/error-message.ts';
import type { Finding } from '../../core/finding.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { MetricOutcome, Result } from '../../core/result.ts';
import type { Session } from '../../core/session.ts';
import { defineQuestion, type Question } from '../../judge/question.ts';
import type { AskForFunction, FunctionQuestion } from '../../sandbox/function-judge.ts';
import {
  DEFAULT_CALL_TIMEOUT_MS,
  type FunctionCall,
  type FunctionReply,
  type FunctionRunner,
} from '../../sandbox/function-runner.ts';
import { NEEDS_JUDGE } from '../judged-metric.ts';
import { type BoundJudge, type Metric, type SessionView, sessionMetric, type TurnView, turnMetric } from '../metric.ts';
import type { FunctionDefinition } from './definition.ts';
import { describeFunction, questionText } from './descriptions.ts';
import { outcomeOfReturn } from './function-result.ts';

/** A metric computed by a user's function. Its results have the source `rules`, or `judge` if it question the judge. */
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
    const judge = recordAnswers(metric, view.judge);
    const call = { ...functionCall(metric, view.session, subject), judge: { at: [1, 'judge'], ask: judge.ask } };
    const reply = await functions.call(call, view.signal);
    return judge.missing() ?? withSource(outcomeOfReply(metric, reply, file), judge.answeredBy());
  };
  return scope === 'turn'
    ? turnMetric({ ...definition, evaluate: (view) => call(view, turnSubject(view, uses), view.turn.file) })
    : sessionMetric({ ...definition, evaluate: (view) => call(view, sessionSubject(view, uses), undefined) });
}

interface AnswerRecord {
  readonly ask: AskForFunction;
  /** The outcome if a question has no answer, whatever the function made of it: an outage must not become a score. */
  missing(): MetricOutcome | null;
  /** The `provider/model` that answered; null if nothing was question. */
  answeredBy(): string | null;
}

/** Asks the judge for a function, and keeps what its result depends on. */
function recordAnswers({ name, scope }: FunctionDefinition, judge: BoundJudge | null): AnswerRecord {
  let missing: MetricOutcome | null = null;
  let answeredBy: string | null = null;
  let count = 0;
  return {
    async ask(question) {
      if (!judge) {
        missing ??= NEEDS_JUDGE;
        return { answered: false, reason: NEEDS_JUDGE.reason ?? '' };
      }
      count += 1;
      const reply = await askOnce(judge, question, `${name}_${count}`, scope);
      if (reply.status === 'answered') {
        answeredBy = reply.judge;
        return { answered: true, value: reply.values[0] };
      }
      missing ??= reply;
      return { answered: false, reason: reply.reason };
    },
    missing: () => missing,
    answeredBy: () => answeredBy,
  };
}

async function askOnce(
  judge: BoundJudge,
  question: FunctionQuestion,
  name: string,
  scope: 'turn' | 'session',
): Promise<Awaited<ReturnType<typeof judge.ask<unknown>>>> {
  try {
    return await judge.ask(functionQuestion(question, name, scope), { samples: 1 });
  } catch (error) {
    return { status: 'error', reason: `The judge could not be question: ${errorMessage(error)}` };
  }
}

function functionQuestion(
  { instructions, text, schema }: FunctionQuestion,
  name: string,
  scope: 'turn' | 'session',
): Question<unknown> {
  const answer = z.fromJSONSchema(closeObjects(schema));
  return defineQuestion<unknown>({
    name,
    instructions,
    context: text === undefined ? scope : 'facts',
    ...(text ? { data: { text } } : {}),
    isAlone: true,
    answer: () => answer,
  });
}

/** Objects without other properties than those that are listed, as servers require it. */
function closeObjects(schema: JsonObject): JsonObject {
  const close = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(close) : isObject(value) ? closeObjects(value) : value;
  const closed = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, close(value)]));
  return isObject(schema.properties) ? { ...closed, additionalProperties: false } : closed;
}

function withSource(outcome: MetricOutcome, judge: string | null): MetricOutcome {
  return judge === null || !('source' in outcome) ? outcome : { ...outcome, source: 'judge', judge };
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
