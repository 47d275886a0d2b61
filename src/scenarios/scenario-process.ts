import type { JsonObject } from '../core/json.ts';
import type { Scenario } from './scenario.ts';

/** A message of the conversation with an agent, in the shape of OpenAI's chat completions. */
export interface AgentMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | null;
  readonly tool_calls?: readonly AgentToolCall[];
  readonly tool_call_id?: string;
}

export interface AgentToolCall {
  readonly id: string;
  readonly type: 'function';
  /** Arguments as the agent wrote them, which may be no JSON. */
  readonly function: { readonly name: string; readonly arguments: string };
}

/** What a tool of a scenario answered. */
export type ToolAnswer =
  | { readonly type: 'result'; readonly value: unknown }
  /** It threw: the agent sees the error, and the call is recorded. */
  | { readonly type: 'error'; readonly message: string }
  /** The scenario has no such tool. */
  | { readonly type: 'unmocked' };

/** A call that a handler made through `ctx.resolveTool`. */
export interface HandlerCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly answer: ToolAnswer;
  /** Milliseconds of the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The code of one attempt of a scenario. No state of it is shared with another attempt. */
export interface AttemptCode {
  /** The answer of a mocked tool. Never rejects for what the user's code does. */
  resolveTool(name: string, args: JsonObject, at: { readonly turnIndex: number }): Promise<ToolAnswer>;
  /**
   * Asks an agent that is a function (`type: 'custom'`).
   *
   * @returns its message, and the calls that it made, in order: also when it failed.
   */
  callHandler(
    agent: string,
    messages: readonly AgentMessage[],
    at: { readonly turnIndex: number },
  ): Promise<{
    readonly calls: readonly HandlerCall[];
    readonly reply:
      | { readonly type: 'message'; readonly message: AgentMessage }
      | { readonly type: 'failed'; readonly reason: string };
  }>;
  /** What `mocks.state` says after the last turn; undefined where there is none. */
  finalState(): Promise<unknown>;
  /** What the code printed during this attempt, at most 64 kB. */
  output(): string;
}

/** A file of scenarios, loaded in a child process of its own. Disposing ends the process and its whole group. */
export interface ScenarioProcess extends AsyncDisposable {
  readonly scenarios: readonly Scenario[];
  /**
   * @param name of the scenario.
   * @param conversationId of the attempt, unique in the run.
   */
  openAttempt(name: string, conversationId: string): AttemptCode;
  /** Resolves with a sentence when the process ends by itself: a crash, `process.exit`, its memory limit. */
  readonly ended: Promise<string>;
}
