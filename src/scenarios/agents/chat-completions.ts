import { errorMessage } from '../../core/error-message.ts';
import {
  get,
  getArray,
  getNumber,
  getObject,
  getString,
  isObject,
  type JsonObject,
  parseJson,
} from '../../core/json.ts';
import { createConnection } from '../../llm/connection.ts';
import type { AgentChatMessage, AgentToolCall } from '../scenario-process.ts';
import { type AddressRules, checkedLookup, forbiddenHost } from './address-rules.ts';
import type { Agent, AgentReply, AgentRequest, AgentUsage } from './agent.ts';
import { mergeEvents } from './completion-events.ts';

/** An agent behind HTTP that speaks OpenAI's chat completions. */
export interface ChatCompletionsSettings {
  readonly endpoint: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent besides the messages, such as the model. */
  readonly body?: JsonObject | undefined;
  readonly streaming?: boolean | undefined;
  /** Whether it may be on another machine of the local network. */
  readonly privateNetwork?: boolean | undefined;
}

const MAX_RESPONSE_BYTES = 10 * 1024 * 1024;

/** Connects when it is asked. Can be shared by attempts: the conversation is in each request. */
export function chatCompletionsAgent(name: string, settings: ChatCompletionsSettings, timeoutMs: number): Agent {
  const url = new URL(settings.endpoint);
  const rules: AddressRules = {
    privateNetwork: settings.privateNetwork ?? false,
    advice: `Set "privateNetwork: true" for the agent "${name}" if it is meant to be there.`,
  };
  const forbidden = forbiddenHost(url, rules);
  const connection = createConnection({
    headers: settings.headers ?? {},
    query: {},
    timeoutMs,
    advice: {
      unreachable: `Start the agent "${name}", or correct its "endpoint".`,
      unknown: `Correct the "endpoint" of the agent "${name}".`,
      unauthorized: `Correct the "headers" of the agent "${name}".`,
      slow: 'Raise `requestTimeoutMs` to wait longer.',
    },
    maxBytes: MAX_RESPONSE_BYTES,
    acceptsEvents: true,
    lookup: checkedLookup(rules),
  });
  const place = `${url.host}${url.pathname}`;
  const fail = (reason: string): AgentReply => ({ type: 'failed', reason, calls: [] });
  return {
    name,
    async ask({ messages, round }: AgentRequest, signal) {
      if (forbidden !== null) return fail(forbidden);
      const body = JSON.stringify({ ...settings.body, messages, ...(settings.streaming ? { stream: true } : {}) });
      try {
        const { text, isStream } = await connection.call(signal, async (fetch) => {
          const response = await fetch(url, { method: 'POST', body });
          const isStream = response.headers.get('content-type') === 'text/event-stream';
          return { text: await response.text(), isStream };
        });
        const completion = isStream ? mergeEvents(text) : parseJson(text);
        return typeof completion === 'string' ? fail(`${place} ${completion}`) : toReply(completion, place, round);
      } catch (error) {
        signal.throwIfAborted();
        return fail(errorMessage(error));
      }
    },
  };
}

function toReply(completion: unknown, place: string, round: number): AgentReply {
  const choice = getArray(completion, 'choices')?.[0];
  const message = getObject(choice, 'message');
  const content = message && contentOf(message);
  if (!message || content === undefined) {
    const reason = `${place} answered without a "choices[0].message" with text or tool calls. Is the endpoint one for chat completions?`;
    return { type: 'failed', reason, calls: [] };
  }
  const calls = (getArray(message, 'tool_calls') ?? []).flatMap((call, index) => toCall(call, round, index) ?? []);
  const answer: AgentChatMessage = {
    role: 'assistant',
    content,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    type: 'message',
    message: answer,
    model: getString(completion, 'model'),
    finishReason: getString(choice, 'finish_reason'),
    usage: usageOf(get(completion, 'usage')),
    calls: [],
  };
}

/** Null without text; undefined where the message has neither text nor calls of the expected shape. */
function contentOf(message: JsonObject): string | null | undefined {
  const content = get(message, 'content');
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map((part) => getString(part, 'text') ?? '').join('');
  const isEmpty = content === null || content === undefined;
  return isEmpty && (content === null || getArray(message, 'tool_calls')) ? null : undefined;
}

/** Servers that are not OpenAI's leave out ids, and send arguments as an object. */
function toCall(call: unknown, round: number, index: number): AgentToolCall | null {
  const fn = get(call, 'function');
  const name = getString(fn, 'name');
  if (name === undefined) return null;
  const args = get(fn, 'arguments');
  return {
    id: getString(call, 'id') ?? `call_${round + 1}_${index + 1}`,
    type: 'function',
    function: { name, arguments: isObject(args) ? JSON.stringify(args) : String(args ?? '') },
  };
}

function usageOf(usage: unknown): AgentUsage | undefined {
  const inputTokens = getNumber(usage, 'prompt_tokens');
  const outputTokens = getNumber(usage, 'completion_tokens');
  if (inputTokens === undefined || outputTokens === undefined || inputTokens < 0 || outputTokens < 0) return undefined;
  return { inputTokens, outputTokens };
}
