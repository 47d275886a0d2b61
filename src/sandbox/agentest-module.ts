/**
 * The module that configurations of the Agentest tool import: its `defineConfig`, and the base classes of its custom
 * metrics. Here a custom metric becomes a function of a turn, as configurations of Turnwise have it.
 */
import { isObject } from '../core/json.ts';
import { agentToolCalls, type Session, type Turn } from '../core/session.ts';

/** What a custom metric gets of a turn, as Agentest's documentation describes it. */
interface ScoreInput {
  readonly goal: string;
  readonly profile: string;
  readonly knowledge: readonly { readonly content: string }[];
  readonly userMessage: string;
  readonly agentMessage: string;
  readonly toolCalls: readonly {
    readonly name: string;
    readonly args: unknown;
    readonly result: unknown;
    readonly turnIndex: number;
  }[];
  readonly history: readonly { readonly userMessage: string; readonly agentMessage: string }[];
  readonly turnIndex: number;
}

interface MetricResult {
  readonly value: number | string;
  readonly reason?: string;
}

interface TurnContext {
  readonly session: Session;
  readonly index: number;
}

abstract class AgentestMetric {
  abstract readonly name: string;
}

/** Gives a turn a number. */
abstract class QuantitativeMetric extends AgentestMetric {
  abstract score(input: ScoreInput): Promise<MetricResult>;
}

/** Gives a turn a label. */
abstract class QualitativeMetric extends AgentestMetric {
  abstract evaluate(input: ScoreInput): Promise<MetricResult>;
}

/** Agentest does not run custom metrics of this kind either; a module may still define one. */
abstract class ConversationMetric extends AgentestMetric {}

const EXPORTS = {
  defineConfig: (configuration: unknown) => configuration,
  QuantitativeMetric,
  QualitativeMetric,
  ConversationMetric,
};

/** The names under which it is published. */
export const AGENTEST_MODULES = { agentest: EXPORTS, '@agentesting/agentest': EXPORTS };

/** A custom metric as data, with a function that a process can find. */
interface DescribedMetric {
  readonly name: unknown;
  /** Null for an object that is no metric of a turn. */
  readonly kind: 'score' | 'label' | null;
  readonly evaluate?: (turn: Turn, context: TurnContext) => Promise<unknown>;
}

/** The default export of an Agentest configuration without the agents under test, which hold code and keys. */
export function describeAgentestConfiguration(configuration: unknown): unknown {
  if (!isObject(configuration)) return configuration;
  const { agent, agents, compare, customMetrics, ...rest } = configuration;
  if (!Array.isArray(customMetrics)) return { ...rest, ...(customMetrics === undefined ? {} : { customMetrics }) };
  return { ...rest, customMetrics: customMetrics.map(describeMetric) };
}

function describeMetric(metric: unknown): DescribedMetric {
  if (metric instanceof QuantitativeMetric) {
    return {
      name: metric.name,
      kind: 'score',
      async evaluate(turn, context) {
        const { value, reason } = await metric.score(scoreInput(turn, context));
        return { score: value, reason };
      },
    };
  }
  if (metric instanceof QualitativeMetric) {
    return {
      name: metric.name,
      kind: 'label',
      async evaluate(turn, context) {
        const { value, reason } = await metric.evaluate(scoreInput(turn, context));
        return { label: value, reason };
      },
    };
  }
  return { name: isObject(metric) ? metric.name : undefined, kind: null };
}

function scoreInput(turn: Turn, { session, index }: TurnContext): ScoreInput {
  return {
    goal: session.goal ?? '',
    profile: session.profile ?? '',
    knowledge: (session.knowledge ?? []).map((content) => ({ content })),
    ...messages(turn),
    toolCalls: agentToolCalls(turn).map(({ name, arguments: args, result, error }) => ({
      name,
      args,
      result: result ?? error,
      turnIndex: index,
    })),
    history: session.turns.slice(0, index).map(messages),
    turnIndex: index,
  };
}

function messages({ input, output }: Turn): { userMessage: string; agentMessage: string } {
  return { userMessage: input ?? '', agentMessage: output ?? '' };
}
