import * as z from 'zod';
import { scenarioMetricsSchema, scenarioThresholdsSchema } from '../config/scenario-metrics.ts';
import { expectationsSchema } from '../core/schemas/expectations.ts';

/**
 * A scenario as plain data: who the user is, what they want, which agent to try, and what must hold. Code of a scenario file
 * (tools, handlers) stays in the process that loaded the file and is reached through `ScenarioProcess`.
 */
export const scenarioSchema = z.object({
  name: z.string().min(1),
  /** A key of `agents` in the configuration; absent: its default agent. */
  agent: z.string().optional(),
  profile: z.string().optional(),
  goal: z.string().optional(),
  knowledge: z.array(z.object({ content: z.string() })).optional(),
  /** With `{{profile}}`, `{{goal}}` and `{{knowledge}}`. */
  userPromptTemplate: z.string().optional(),
  /** What a simulated user says first; a model says the rest. */
  firstMessage: z.string().optional(),
  /** Attempts. Default: that of the configuration; 1 where `turns` is given. */
  conversationsPerScenario: z.int().positive().optional(),
  maxTurns: z.int().positive().optional(),
  /** What the user says, turn by turn: nobody is simulated. */
  turns: z
    .array(
      z.object({
        userMessage: z.string(),
        assertions: z.optional(expectationsSchema),
        /** The expected answer: metrics compare the agent's answer with it. */
        response: z.string().optional(),
      }),
    )
    .min(1)
    .optional(),
  /** Of the whole session. */
  assertions: z.optional(expectationsSchema),
  /** What `mocks.state` must have at the end, among other things. */
  finalState: z.unknown().optional(),
  /** Names of the tools that the scenario answers itself. */
  mockedTools: z.array(z.string()).default([]),
  /** Whether it can tell the state that the agent left behind (`mocks.state`). */
  hasState: z.boolean().default(false),
  /** A list restricts the metrics of the configuration, an object configures them. */
  metrics: scenarioMetricsSchema.optional(),
  /** Gates of its own attempts. */
  thresholds: scenarioThresholdsSchema.optional(),
  tags: z.array(z.string()).optional(),
});
export type Scenario = z.output<typeof scenarioSchema>;

/** Where a scenario stands: what lists, lenses and tests show. Offsets are UTF-16 units of the text. */
export interface ScenarioPlace {
  /** Null where the name is no literal: the loader knows it. */
  readonly name: string | null;
  /** The agent that it names; null where it names none, or not by a literal. */
  readonly agent: string | null;
  readonly start: number;
  readonly end: number;
  /** The scripted turns and the expected calls in order, for what is said of them in place. */
  readonly turns: readonly { readonly start: number; readonly end: number }[];
  readonly expectedCalls: readonly { readonly start: number; readonly end: number }[];
}
