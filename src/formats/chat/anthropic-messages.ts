import type { Document } from '../../core/document.ts';
import { get, getArray, getString } from '../../core/json.ts';
import type { Tool } from '../../core/session.ts';
import type { SyncFormat } from '../format.ts';
import { sample } from '../records.ts';
import { toolsOf } from '../tools.ts';
import { chatFormat, type MessageList, messageListIn } from './chat-format.ts';
import { anthropicMessages as dialect, instructionsOf, isAnthropic } from './messages/anthropic.ts';

const SHARED_OPTIONS = {
  name: 'anthropic-messages',
  title: 'Anthropic messages',
  description: 'Messages of the Anthropic API: a list of them, a request body {system, messages, tools}, a response',
  dialect: { fits: isAnthropic, read: dialect },
  messageNoun: 'Anthropic messages',
} as const;

const conversations = chatFormat({
  ...SHARED_OPTIONS,
  extras: (value) => ({
    system: instructionsOf(get(value, 'system')),
    tools: catalogueOf(value),
  }),
});

/** Responses without their requests, one conversation each. */
const responses = chatFormat({ ...SHARED_OPTIONS, listOf: responseIn });

/** Messages of Anthropic's API: a list, a request body, responses, or one of these per line. */
export const anthropicMessages: SyncFormat = {
  ...conversations,

  detect(document) {
    if (!hasResponses(document)) return conversations.detect(document);
    return Array.isArray(document.value)
      ? 'a list of responses of the Anthropic API'
      : 'a response of the Anthropic API';
  },

  read(document) {
    return (hasResponses(document) ? responses : conversations).read(document);
  },
};

/** Whether there are only responses; with user messages between them, they are one conversation. */
function hasResponses({ value }: Document): boolean {
  const first = sample(value);
  return first.length > 0 && first.every((entry) => responseIn(entry) !== undefined);
}

function responseIn(value: unknown): MessageList | undefined {
  if (get(value, 'type') !== 'message' || get(value, 'role') !== 'assistant' || !isAnthropic([value])) return undefined;
  return { messages: [], pointer: '', answer: { message: value, pointer: '' } };
}

/** The tools of a request and those that its MCP servers list. */
function catalogueOf(value: unknown): Tool[] | undefined {
  const listed = toolsOf(get(value, 'tools'));
  if (!listed) return undefined;
  const names = new Set(listed.map(({ name }) => name));
  for (const message of messageListIn(value)?.messages ?? []) {
    for (const block of getArray(message, 'content') ?? []) {
      const type = get(block, 'type');
      const name = getString(block, 'name');
      if (!name || names.has(name) || (type !== 'mcp_tool_use' && type !== 'server_tool_use')) continue;
      names.add(name);
      listed.push({ name });
    }
  }
  return listed;
}
