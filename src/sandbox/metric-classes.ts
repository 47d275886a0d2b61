/**
 * Base classes of custom metrics, as Agentest has them. A metric that extends one is described as a function, as the key
 * `custom` has it. The classes of the installed package and those that the loader provides work alike, so what they share is
 * found by symbols.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { get, isObject } from '../core/json.ts';
import { agentToolCalls, type Session, type Turn } from '../core/session.ts';
import type { FunctionJudge } from './function-judge.ts';

interface MetricToolCall {
  readonly name: string;
  readonly args: unknown;
  /** What the tool answered, or its error. */
  readonly result: unknown;
  /** Zero-based. */
  readonly turnIndex: number;
}

interface MetricExchange {
  /** Empty where nothing was said. */
  readonly userMessage: string;
  readonly agentMessage: string;
}

interface MetricSubject {
  /** Empty where the session has none. */
  readonly goal: string;
  readonly profile: string;
  readonly knowledge: readonly { readonly content: string }[];
}

/** A turn, as metrics of a turn get it. */
export interface ScoreInput extends MetricSubject, MetricExchange {
  readonly toolCalls: readonly MetricToolCall[];
  /** The turns before it. */
  readonly history: readonly MetricExchange[];
  /** Zero-based. */
  readonly turnIndex: number;
}

/** A session, as metrics of a conversation get it. */
export interface ConversationInput extends MetricSubject {
  readonly turns: readonly (MetricExchange & { readonly toolCalls: readonly MetricToolCall[] })[];
}

export interface QuantResult {
  readonly value: number;
  readonly reason?: string;
}

export interface QualResult {
  readonly value: string;
  readonly reason?: string;
}

interface MetricPrompt {
  readonly system?: string;
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
}

/** What `this.llm` of a metric offers: the judge of the run answers. Both reject without an answer. */
export interface MetricModel {
  /** @param request `schema`: of the answer, of zod or JSON Schema. */
  generateObject<T = unknown>(
    request: MetricPrompt & { readonly schema: { parse(value: unknown): T } | Readonly<Record<string, unknown>> },
  ): Promise<{ readonly object: T }>;
  generateText(request: MetricPrompt): Promise<{ readonly text: string }>;
}

const KIND = Symbol.for('turnwise.metricKind');
const JUDGE = Symbol.for('turnwise.metricJudge');

/** The judge of the call under way: one instance of a metric serves several at a time. */
function currentJudge(): AsyncLocalStorage<FunctionJudge> {
  const known: unknown = Reflect.get(globalThis, JUDGE);
  if (known instanceof AsyncLocalStorage) return known;
  const storage = new AsyncLocalStorage<FunctionJudge>();
  Reflect.set(globalThis, JUDGE, storage);
  return storage;
}

const TEXT_ANSWER = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

const MODEL: MetricModel = {
  generateObject: async <T>({ schema, ...prompt }: MetricPrompt & { readonly schema: unknown }) => {
    // The judge has checked it against the schema.
    return { object: (await askJudge(prompt, schema)) as T };
  },
  generateText: async (prompt) => ({ text: String(get(await askJudge(prompt, TEXT_ANSWER), 'text')) }),
};

/** Instructions are the system's messages, and what others say is data; without instructions, the others are. */
async function askJudge({ system, messages = [] }: MetricPrompt, schema: unknown): Promise<unknown> {
  const judge = currentJudge().getStore();
  if (!judge) throw new Error('A metric can ask the judge only while it is called');
  const contents = (isSystem: boolean) =>
    messages.filter(({ role }) => (role === 'system') === isSystem).map(({ content }) => content);
  const instructions = [...(system === undefined ? [] : [system]), ...contents(true)].join('\n\n');
  const text = contents(false).join('\n\n');
  return instructions === '' ? judge(text, schema, { text: '' }) : judge(instructions, schema, { text });
}

abstract class MetricClass {
  abstract readonly name: string;

  /** Asks the judge of the run. */
  get llm(): MetricModel {
    return MODEL;
  }

  /** Agentest passes a model here; the judge of the run answers instead. */
  setLLM(): void {}
}

/** Gives a turn a number: from 1 to 5, or on the scale that `scale` names. */
export abstract class QuantitativeMetric extends MetricClass {
  readonly scale?: 'unit' | 'likert' | 'binary';

  get [KIND](): 'turn score' {
    return 'turn score';
  }

  abstract score(input: ScoreInput): Promise<QuantResult>;
}

/** Gives a turn a label. */
export abstract class QualitativeMetric extends MetricClass {
  get [KIND](): 'turn label' {
    return 'turn label';
  }

  abstract evaluate(input: ScoreInput): Promise<QualResult>;
}

/** Gives a conversation a number: from 0 to 1, or on the scale that `scale` names. */
export abstract class ConversationMetric extends MetricClass {
  readonly scale?: 'unit' | 'likert' | 'binary';

  get [KIND](): 'session score' {
    return 'session score';
  }

  abstract score(input: ConversationInput): Promise<QuantResult>;
}

type AnyMetric = QuantitativeMetric | QualitativeMetric | ConversationMetric;

/** What instances of the classes have in common. */
export interface MetricInstance {
  readonly name: string;
  readonly [KIND]: AnyMetric[typeof KIND];
  /** Written metrics differ by it, from each other and from instances. */
  readonly scope?: never;
}

interface TurnContext {
  readonly session: Session;
  readonly index: number;
  readonly judge: FunctionJudge;
}

interface SessionContext {
  readonly judge: FunctionJudge;
}

/** A metric as an entry of `custom`. */
export interface DescribedMetric {
  readonly name: string;
  readonly scope: 'turn' | 'session';
  /** Undefined where the class does not say it. */
  readonly scale?: 'label' | 'unit' | 'likert' | 'binary' | undefined;
  readonly evaluate:
    | ((turn: Turn, context: TurnContext) => Promise<unknown>)
    | ((session: Session, context: SessionContext) => Promise<unknown>);
}

function isMetric(value: unknown): value is AnyMetric {
  return isObject(value) && Reflect.get(value, KIND) !== undefined;
}

/** Null where a value extends none of the classes. */
export function describeMetric(metric: unknown): DescribedMetric | null {
  if (!isMetric(metric)) return null;
  const { name } = metric;
  switch (metric[KIND]) {
    case 'turn score':
      return {
        name,
        scope: 'turn',
        scale: metric.scale,
        evaluate: (turn: Turn, context: TurnContext) =>
          withJudge(context, async () => toScore(await metric.score(scoreInput(turn, context)))),
      };
    case 'turn label':
      return {
        name,
        scope: 'turn',
        scale: 'label',
        evaluate: (turn: Turn, context: TurnContext) =>
          withJudge(context, async () => {
            const { value, reason } = await metric.evaluate(scoreInput(turn, context));
            return { label: value, reason };
          }),
      };
    case 'session score':
      return {
        name,
        scope: 'session',
        scale: metric.scale ?? 'unit',
        evaluate: (session: Session, context: SessionContext) =>
          withJudge(context, async () => toScore(await metric.score(conversationInput(session)))),
      };
  }
}

/** A configuration whose `custom` has instances of the classes, with functions in their place. */
export function describeCustomMetrics(configuration: unknown): unknown {
  if (!isObject(configuration) || !Array.isArray(configuration.custom)) return configuration;
  const custom = configuration.custom.map((entry: unknown) => describeMetric(entry) ?? entry);
  return { ...configuration, custom };
}

function withJudge(context: SessionContext, call: () => Promise<unknown>): Promise<unknown> {
  return currentJudge().run(context.judge, call);
}

function toScore({ value, reason }: QuantResult) {
  return { score: value, reason };
}

function subjectOf({ goal = '', profile = '', knowledge = [] }: Session): MetricSubject {
  return { goal, profile, knowledge: knowledge.map((content) => ({ content })) };
}

function scoreInput(turn: Turn, { session, index }: TurnContext): ScoreInput {
  return {
    ...subjectOf(session),
    ...exchangeOf(turn),
    toolCalls: toolCallsOf(turn, index),
    history: session.turns.slice(0, index).map(exchangeOf),
    turnIndex: index,
  };
}

function conversationInput(session: Session): ConversationInput {
  const turns = session.turns.map((turn, index) => ({ ...exchangeOf(turn), toolCalls: toolCallsOf(turn, index) }));
  return { ...subjectOf(session), turns };
}

function toolCallsOf(turn: Turn, turnIndex: number): MetricToolCall[] {
  return agentToolCalls(turn).map(({ name, arguments: args, result, error }) => ({
    name,
    args,
    result: result ?? error,
    turnIndex,
  }));
}

function exchangeOf({ input, output }: Turn): MetricExchange {
  return { userMessage: input ?? '', agentMessage: output ?? '' };
}
