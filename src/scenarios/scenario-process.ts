import type { AgentChatMessage } from '../core/agent-chat-message.ts';
import type { JsonObject } from '../core/json.ts';
import type { Scenario } from './scenario.ts';

export type { AgentChatMessage, AgentToolCall } from '../core/agent-chat-message.ts';

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

/**
 * The process of an attempt was stopped for what another attempt did, or may have done: an endless loop, a crash. The attempt
 * is to be made again, from its first turn, by `openAttempt` with the same conversation: once, which then tells who it was.
 */
export class AttemptInterrupted extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'AttemptInterrupted';
  }
}

/** The attempt's own code made it impossible to go on: an endless loop, `process.exit`, a rejected promise. A sentence. */
export class AttemptFailed extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'AttemptFailed';
  }
}

/**
 * The code of one attempt of a scenario. No state of it is shared with another attempt. What its own code does wrong is an
 * answer, or `AttemptFailed` where nothing can go on; its methods reject with that or with `AttemptInterrupted`.
 */
export interface AttemptCode extends Disposable {
  /** The answer of a mocked tool. */
  resolveTool(name: string, args: JsonObject, at: { readonly turnIndex: number }): Promise<ToolAnswer>;
  /**
   * Asks an agent that is a function (`type: 'custom'`).
   *
   * @returns its message, and the calls that it made, in order: also when it failed.
   */
  callHandler(
    agent: string,
    messages: readonly AgentChatMessage[],
    at: { readonly turnIndex: number },
  ): Promise<{
    readonly calls: readonly HandlerCall[];
    readonly reply:
      | { readonly type: 'message'; readonly message: AgentChatMessage }
      | { readonly type: 'failed'; readonly reason: string };
  }>;
  /** What `mocks.state` says after the last turn; undefined where there is none, or it failed. */
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
}
