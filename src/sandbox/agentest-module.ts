/**
 * The module that configurations of the Agentest tool import: its `defineConfig`, and the base classes of its custom
 * metrics. Here a custom metric becomes a function of a turn, as configurations of Turnwise have it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { get, isObject } from '../core/json.ts';
import { agentToolCalls, type Session, type Turn } from '../core/session.ts';
import type { FunctionJudge } from './function-judge.ts';

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
  readonly judge: FunctionJudge;
}

/** The judge of the call under way: one instance of a metric serves several at a time. */
const currentJudge = new AsyncLocalStorage<FunctionJudge>();

interface Messages {
  readonly system?: string;
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
}

/** What `this.llm` of a metric offers, answered by the judge of the run. */
const LLM = {
  generateObject: async ({ schema, ...prompt }: Messages & { readonly schema: unknown }) => ({
    object: await askJudge(prompt, schema),
  }),
  generateText: async (prompt: Messages) => ({ text: get(await askJudge(prompt, TEXT_ANSWER), 'text') }),
};

const TEXT_ANSWER = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

/** Instructions are the system's messages, and what others say is data; without instructions, the others are. */
async function askJudge({ system, messages = [] }: Messages, schema: unknown): Promise<unknown> {
  const judge = currentJudge.getStore();
  if (!judge) throw new Error('A metric can ask the judge only while it is called');
  const contents = (isSystem: boolean) =>
    messages.filter(({ role }) => (role === 'system') === isSystem).map(({ content }) => content);
  const instructions = [...(system === undefined ? [] : [system]), ...contents(true)].join('\n\n');
  const text = contents(false).join('\n\n');
  return instructions === '' ? judge(text, schema, { text: '' }) : judge(instructions, schema, { text });
}

abstract class AgentestMetric {
  abstract readonly name: string;

  get llm() {
    return LLM;
  }

  /** Agentest passes a model here; the judge of the run answers instead. */
  setLLM(): void {}
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

/** What configurations import. */
export const CONFIGURATION_EXPORTS = {
  defineConfig: (configuration: unknown) => configuration,
  QuantitativeMetric,
  QualitativeMetric,
  ConversationMetric,
};

/** The names under which it is published. */
export const AGENTEST_MODULES = { agentest: CONFIGURATION_EXPORTS, '@agentesting/agentest': CONFIGURATION_EXPORTS };

/** A custom metric as data, with a function that a process can find. */
interface DescribedMetric {
  readonly name: unknown;
  /** Null for an object that is no metric of a turn. */
  readonly kind: 'score' | 'label' | null;
  readonly evaluate?: (turn: Turn, context: TurnContext) => Promise<unknown>;
}

/** The default export of an Agentest configuration, with custom metrics as data. */
export function describeAgentestConfiguration(configuration: unknown): unknown {
  if (!isObject(configuration)) return configuration;
  const { customMetrics, ...rest } = configuration;
  if (!Array.isArray(customMetrics)) return { ...rest, ...(customMetrics === undefined ? {} : { customMetrics }) };
  return { ...rest, customMetrics: customMetrics.map(describeMetric) };
}

function describeMetric(metric: unknown): DescribedMetric {
  if (metric instanceof QuantitativeMetric) {
    return {
      name: metric.name,
      kind: 'score',
      async evaluate(turn, context) {
        const { value, reason } = await currentJudge.run(context.judge, () => metric.score(scoreInput(turn, context)));
        return { score: value, reason };
      },
    };
  }
  if (metric instanceof QualitativeMetric) {
    return {
      name: metric.name,
      kind: 'label',
      async evaluate(turn, context) {
        const { value, reason } = await currentJudge.run(context.judge, () =>
          metric.evaluate(scoreInput(turn, context)),
        );
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
