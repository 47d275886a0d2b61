import { get, getArray, getObject, getString } from '../../core/json.ts';
import type { RequestedCall } from '../chat/messages/conversation.ts';
import type { AgentThread, LogLine } from './claude-code-threads.ts';

/**
 * Matches sub-agents to the calls that started them: by an id in newer logs, at the latest in the call's result; in
 * older logs by the prompt, which is the sub-agent's first message.
 */
export class SubAgentMatcher {
  readonly #byCall = new Map<string, AgentThread>();
  readonly #byPrompt = new Map<string, AgentThread[]>();
  readonly #waiting: Set<AgentThread>;
  /** Outputs by call id. */
  readonly #agents = new Map<string, string>();

  /** @param lines of all threads, since results of calls may be in any of them. */
  constructor(threads: readonly AgentThread[], lines: Iterable<LogLine>) {
    this.#waiting = new Set(threads);
    const callOf = callsByAgent(lines);
    for (const [agent, call] of callOf) this.#agents.set(call, agent);
    // In reverse, since the last one is taken first.
    for (const thread of threads.toReversed()) {
      const call = thread.call ?? (thread.agent === undefined ? undefined : callOf.get(thread.agent));
      const prompt = promptOf(thread);
      if (call !== undefined) this.#byCall.set(call, thread);
      else if (prompt !== undefined) {
        const same = this.#byPrompt.get(prompt);
        if (same) same.push(thread);
        else this.#byPrompt.set(prompt, [thread]);
      }
    }
  }

  /** The sub-agent started by a call. Each is returned once; one whose log is another file has no lines here. */
  threadOf(call: RequestedCall): AgentThread | undefined {
    const named = call.id === undefined ? undefined : this.#byCall.get(call.id);
    const prompt = getString(call.arguments, 'prompt');
    const thread = named ?? (prompt === undefined ? undefined : this.#byPrompt.get(prompt)?.pop());
    if (thread) return this.#waiting.delete(thread) ? thread : undefined;
    const agent = call.id === undefined ? undefined : this.#agents.get(call.id);
    return agent === undefined ? undefined : { agent, call: call.id, lines: [] };
  }

  /** A sub-agent that is not matched to a call so far. */
  next(): AgentThread | undefined {
    for (const thread of this.#waiting) {
      this.#waiting.delete(thread);
      return thread;
    }
    return undefined;
  }
}

function callsByAgent(lines: Iterable<LogLine>): Map<string, string> {
  const calls = new Map<string, string>();
  for (const { value } of lines) {
    const agent = agentOf(value);
    const content = agent === undefined ? undefined : getArray(get(value, 'message'), 'content');
    const result = content?.find((block) => get(block, 'type') === 'tool_result');
    const call = getString(result, 'tool_use_id');
    if (agent !== undefined && call !== undefined) calls.set(agent, call);
  }
  return calls;
}

/** The id of the sub-agent in a result. */
function agentOf(line: unknown): string | undefined {
  return getString(getObject(line, 'toolUseResult') ?? getObject(line, 'tool_use_result'), 'agentId');
}

function promptOf({ lines }: AgentThread): string | undefined {
  const first = lines.find(({ value }) => get(value, 'type') === 'user');
  const content = get(get(first?.value, 'message'), 'content');
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((block) => getString(block, 'text')).find((text) => text) : undefined;
}
