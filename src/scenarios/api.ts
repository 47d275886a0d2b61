/**
 * What a scenario file imports: `scenario`, which registers one, and `sequence`. They work alike from the installed package
 * and from the module that the loader provides, so what they share with the loader is found by symbols.
 */
import type * as z from 'zod';
import type { expectationsSchema } from '../core/schemas/expectations.ts';

/** When and for whom a tool is called. */
export interface ToolContext {
  /** How often this tool was called before in this attempt. */
  readonly callIndex: number;
  /** Of the attempt. */
  readonly conversationId: string;
  /** Zero-based. */
  readonly turnIndex: number;
}

/** The answer of a tool. What it throws is the tool's error. */
// biome-ignore lint/suspicious/noExplicitAny: a tool declares its arguments, and `unknown` would reject that
export type ToolFunction = (args: any, context: ToolContext) => unknown;

/** Answers in order, one per call. After the end, the last one repeats. Each attempt starts with the first. */
export interface ToolSequence {
  readonly [SEQUENCE]: readonly unknown[];
}

/** What the scenario answers instead of the agent's real tools. */
export interface Mocks {
  readonly tools?: Readonly<Record<string, ToolFunction | ToolSequence>>;
  /** Returns the state that the agent left behind, after the last turn: what `finalState` is compared with. */
  readonly state?: () => unknown;
}

type ExpectationsInput = z.input<typeof expectationsSchema>;

export interface ScenarioOptions {
  /** A key of the configuration's agents; by default its `agent`. */
  readonly agent?: string;
  /** Who the user is. Required without `turns`. */
  readonly profile?: string;
  /** What the user wants. Required without `turns`. */
  readonly goal?: string;
  readonly knowledge?: readonly { readonly content: string }[];
  /** The simulated user's instructions, with `{{profile}}`, `{{goal}}` and `{{knowledge}}`. */
  readonly userPromptTemplate?: string;
  /** What the simulated user says first, word for word; a model says the rest. */
  readonly firstMessage?: string;
  /** Attempts; by default 3, or 1 with `turns`. */
  readonly conversationsPerScenario?: number;
  /** Default: 8. */
  readonly maxTurns?: number;
  /** What the user says, turn by turn, instead of a simulated user. */
  readonly turns?: readonly {
    readonly userMessage: string;
    readonly assertions?: ExpectationsInput;
    /** The expected answer: metrics such as `response_match_score` compare the agent's answer with it. */
    readonly response?: string;
  }[];
  /** A function is called for each attempt, so that what its tools change is the attempt's own. */
  readonly mocks?: Mocks | (() => Mocks);
  /** What must hold of the whole session. */
  readonly assertions?: ExpectationsInput;
  /** What `mocks.state` must have at the end, among other things. */
  readonly finalState?: unknown;
  /** Only these metrics, or what differs from the configuration for some of them. */
  readonly metrics?:
    | readonly string[]
    | Readonly<Record<string, { readonly enabled?: boolean; readonly threshold?: number | `${number}%` }>>;
  /** Gates of its own attempts, by metric. */
  readonly thresholds?: Readonly<Record<string, number | `${number}%`>>;
  /** Shown in lists of scenarios. */
  readonly tags?: readonly string[];
}

/** A scenario as its file registered it. */
export interface RegisteredScenario {
  readonly name: string;
  readonly options: unknown;
}

const REGISTRY = Symbol.for('turnwise.scenarios');
const SEQUENCE: unique symbol = Symbol.for('turnwise.sequence');

/** Registers a scenario: a test of an agent. `turnwise scenarios --run` runs it. */
export function scenario(name: string, options: ScenarioOptions): void {
  const registry: unknown = Reflect.get(globalThis, REGISTRY);
  if (!Array.isArray(registry)) {
    throw new Error('scenario() works in a scenario file: run it with `turnwise scenarios FILE --run`.');
  }
  registry.push({ name, options } satisfies RegisteredScenario);
}

/** Answers of a tool: the first call gets the first value, and calls after the last one get the last. */
export function sequence(values: readonly unknown[]): ToolSequence {
  if (!Array.isArray(values) || values.length === 0)
    throw new Error('sequence() needs a list with at least one value.');
  return { [SEQUENCE]: values };
}

/** The values of a sequence; undefined for anything else. */
export function sequenceValues(value: unknown): readonly unknown[] | undefined {
  const values: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, SEQUENCE) : undefined;
  return Array.isArray(values) ? values : undefined;
}

/** What files that are loaded from now on register. */
export function collectScenarios(): readonly RegisteredScenario[] {
  const registry: RegisteredScenario[] = [];
  Reflect.set(globalThis, REGISTRY, registry);
  return registry;
}
