import type { Session } from '../../core/session.ts';
import type { AgentChatMessage, HandlerCall, ToolAnswer } from '../scenario-process.ts';

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
      /** Another message follows, although this one calls no tool. */
      readonly continues?: true;
    }
  /** With a sentence. */
  | { readonly type: 'failed'; readonly reason: string }
);

/** What is known of an agent besides what it does: rules read it. */
export type AgentFacts = Pick<Session, 'system' | 'tools' | 'coding'>;

export interface RecordedCall {
  readonly turnIndex: number;
  readonly name: string;
  /** As JSON. */
  readonly arguments: string;
}

/** The agent of one attempt. */
export interface Agent {
  /** Its key in the configuration. */
  readonly name: string;
  readonly facts?: AgentFacts;
  /** Rejects only with the signal's reason. */
  ask(request: AgentRequest, signal: AbortSignal): Promise<AgentReply>;
  /** The answer of a tool that the scenario does not mock, as it was recorded: `unmocked` where it has none. */
  recordedAnswer?(call: RecordedCall): ToolAnswer | undefined;
}
