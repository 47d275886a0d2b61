import { get, getArray, getString } from '../../core/json.ts';
import type { Pointer, SessionEnding } from '../../core/session.ts';
import type { Problems } from '../problems.ts';
import { sample } from '../records.ts';
import { toolsOf } from '../tools.ts';
import { chatFormat, messageListIn } from './chat-format.ts';
import { ag2Messages, isAg2 } from './messages/ag2.ts';
import { autoGenEvents, isAutoGen } from './messages/autogen.ts';
import { autoGenLogMessages, isAutoGenLog } from './messages/autogen-log.ts';

/** AutoGen 0.4 and later: messages and events, task results, team states, and the core's event log. */
export const autoGen = chatFormat({
  name: 'autogen',
  title: 'AutoGen messages or event log',
  description: 'Messages of AutoGen 0.4 and later (a list, a TaskResult, a saved state), or its event log (JSONL)',
  dialect: { fits: (messages) => isAutoGen(messages) || isAutoGenLog(messages), read },
  messageNoun: 'AutoGen messages or events',

  listOf(value) {
    const thread = getArray(value, 'message_thread');
    return thread ? { messages: thread, pointer: '/message_thread' } : messageListIn(value);
  },

  extras(value, pointer) {
    // Each model call in the log lists its tools.
    const call = sample(value).find((event) => get(event, 'type') === 'LLMCall' && getArray(event, 'tools'));
    return { tools: toolsOf(get(call, 'tools')), ending: endingOf(value, pointer) };
  },
});

/** A task result says in a sentence which condition ended the team's work: its goal or a limit. */
function endingOf(value: unknown, pointer: Pointer): SessionEnding | undefined {
  const reason = getString(value, 'stop_reason');
  if (reason === undefined || reason === '') return undefined;
  const cause = /^(?:maximum number|token usage limit|timeout)/i.test(reason) ? 'limit' : 'regular';
  return { cause, reason: reason.slice(0, 200), pointer: `${pointer}/stop_reason` };
}

/** AutoGen 0.2 and AG2: a list of messages or a chat result. */
export const ag2 = chatFormat({
  name: 'ag2',
  title: 'AG2 (AutoGen 0.2) messages',
  description: 'Messages of AG2 or AutoGen 0.2 with the names of their speakers: a list or a chat result',
  dialect: { fits: isAg2, read: ag2Messages },
  messageNoun: 'AG2 messages',

  listOf(value) {
    const messages = getArray(value, 'chat_history');
    return messages ? { messages, pointer: '/chat_history' } : messageListIn(value);
  },
});

function read(messages: readonly unknown[], pointer: Pointer, problems: Problems) {
  const readAs = isAutoGenLog(sample(messages)) ? autoGenLogMessages : autoGenEvents;
  return readAs(messages, pointer, problems);
}
