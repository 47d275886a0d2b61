import { chatFormat } from './chat-format.ts';
import { aiSdkMessages, isAiSdk } from './messages/ai-sdk.ts';

/** Messages of Vercel's AI SDK: a list, a request to a chat server, or a stored chat. */
export const aiSdk = chatFormat({
  name: 'ai-sdk',
  title: 'Vercel AI SDK messages',
  description: 'UIMessages or ModelMessages of the AI SDK, version 4 to 6: a list of them or {id, messages}',
  dialect: { fits: isAiSdk, read: aiSdkMessages },
  messageNoun: 'AI SDK messages',
});
