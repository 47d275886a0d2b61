import * as z from 'zod/mini';
import { defineRequest } from './rpc.ts';

/** The tools for coding agents, in the order in which an agent uses them. */
export const AGENT_TOOL_NAMES = [
  'list_runs',
  'evaluate_trace',
  'find_failures',
  'get_turn',
  'explain_score',
  'compare_runs',
] as const;
export type AgentToolName = (typeof AGENT_TOOL_NAMES)[number];

const count = z.int().check(z.nonnegative());

/** As an agent gives it: the tool checks it. */
const toolInput = z.record(z.string(), z.unknown());

/** Calls a tool about the project of an open folder. The text is for the agent: an answer, or what it can do differently. */
export const callAgentTool = defineRequest(
  'turnwise/agentTools/call',
  z.object({
    tool: z.enum(AGENT_TOOL_NAMES),
    input: toolInput,
    /** The calls of the judge that the user has agreed to; null where the user was not asked. */
    agreedCalls: z.nullable(count),
  }),
  z.object({ text: z.string(), isError: z.boolean() }),
);
export type AgentToolResult = z.infer<typeof callAgentTool.result>;

/** What `evaluate_trace` would spend on the judge, about. Null where it asks none, or where its answer says what is wrong. */
export const agentToolCost = defineRequest(
  'turnwise/agentTools/cost',
  z.object({ input: toolInput }),
  z.object({
    cost: z.nullable(
      z.object({
        /** As the agent gives it. */
        path: z.string(),
        model: z.string(),
        sessions: count,
        calls: count,
        /** Of these, answered from the cache. */
        cachedCalls: count,
        tokens: count,
        /** The most that may be made. */
        maxCalls: count,
      }),
    ),
  }),
);
export type AgentToolCost = NonNullable<z.infer<typeof agentToolCost.result>['cost']>;
