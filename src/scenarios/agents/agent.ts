import type { AgentChatMessage, HandlerCall } from '../scenario-process.ts';

/** One request to an agent: the conversation so far, which ends with what it has to answer. */
export interface AgentRequest {
  readonly messages: readonly AgentChatMessage[];
  /** Zero-based. */
  readonly turnIndex: number;
  /** Which request of the turn it is, from 0: after the first, the results of tools are answered. */
  readonly round: number;
}

export interface AgentUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export type AgentReply = {
  /** What a handler called by itself before it answered. */
  readonly calls: readonly HandlerCall[];
} & (
  | {
      readonly type: 'message';
      readonly message: AgentChatMessage;
      /** As the server names it. */
      readonly model?: string | undefined;
      readonly finishReason?: string | undefined;
      readonly usage?: AgentUsage | undefined;
    }
  /** With a sentence. */
  | { readonly type: 'failed'; readonly reason: string }
);

/** The agent of one attempt. */
export interface Agent {
  /** Its key in the configuration. */
  readonly name: string;
  /** Rejects only with the signal's reason. */
  ask(request: AgentRequest, signal: AbortSignal): Promise<AgentReply>;
  /** The result of a tool that the scenario does not mock, where the agent has one. */
  recordedResult?(call: { readonly turnIndex: number; readonly name: string; readonly arguments: string }): unknown;
}
