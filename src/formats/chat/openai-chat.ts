import { get } from '../../core/json.ts';
import { chatFormat } from './chat-format.ts';
import { isAg2 } from './messages/ag2.ts';
import { instructionsOf } from './messages/anthropic.ts';
import { isOpenAi, openAiMessages } from './messages/openai.ts';

/** OpenAI chat messages: a list, a request body, fine-tuning lines, or one message per line. */
export const openAiChat = chatFormat({
  name: 'openai-chat',
  title: 'OpenAI chat messages',
  description: 'A list of chat messages, a request body {messages, tools}, or fine-tuning data (JSONL)',
  // AG2's messages are OpenAI's with names, which have a meaning there.
  dialect: { fits: (messages) => isOpenAi(messages) && !isAg2(messages), read: openAiMessages },
  messageNoun: 'chat messages',
  // A request to Anthropic's API with plain texts only matches too.
  extras: (value) => ({ system: instructionsOf(get(value, 'system')) }),
});
