/** A message of the conversation with an agent, in the shape of OpenAI's chat completions. */
export interface AgentChatMessage {
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
