import { getArray, getString, parseJson } from '../../core/json.ts';
import { toolsOf } from '../tools.ts';
import { chatFormat, messageListIn } from './chat-format.ts';
import { isShareGpt, shareGptMessages } from './messages/sharegpt.ts';

/** ShareGPT conversations: {conversations: [{from, value}]}, a list or lines of those, or a bare list of messages. */
export const shareGpt = chatFormat({
  name: 'sharegpt',
  title: 'ShareGPT conversations',
  description: 'Conversations for fine-tuning, {conversations: [{from, value}], system, tools}, as JSON or JSONL',
  dialect: { fits: isShareGpt, read: shareGptMessages },
  messageNoun: 'ShareGPT messages',

  listOf(value) {
    const messages = getArray(value, 'conversations');
    return messages ? { messages, pointer: '/conversations' } : messageListIn(value);
  },

  extras(value) {
    // The tool catalogue is usually JSON in a string.
    const tools = getString(value, 'tools');
    return { tools: tools === undefined ? undefined : toolsOf(parseJson(tools)) };
  },
});
