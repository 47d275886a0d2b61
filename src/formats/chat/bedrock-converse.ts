import { get, getArray, getObject, getString } from '../../core/json.ts';
import type { Session } from '../../core/session.ts';
import { toolsOf } from '../tools.ts';
import { chatFormat, type MessageList, messageListIn } from './chat-format.ts';
import { bedrockMessages, bedrockUsage, isBedrock } from './messages/bedrock.ts';

/** Amazon Bedrock's Converse API: messages, requests, responses, and records of its invocation log. */
export const bedrockConverse = chatFormat({
  name: 'bedrock-converse',
  title: 'Amazon Bedrock Converse messages',
  description: 'Messages, requests or responses of the Converse API, or records of the model invocation log',
  dialect: { fits: isBedrock, read: bedrockMessages },
  messageNoun: 'Converse messages',
  listOf: exchangeOf,
  idOf: (value) => getString(value, 'requestId'),
  extras: extrasOf,
});

/** The request and response of a value, or of a record of the invocation log. */
const REQUEST = '/input/inputBodyJson';
const RESPONSE = '/output/outputBodyJson';

function exchangeOf(value: unknown): MessageList | undefined {
  const logged = getArray(get(get(value, 'input'), 'inputBodyJson'), 'messages');
  const list = logged ? { messages: logged, pointer: `${REQUEST}/messages` } : messageListIn(value);
  const answer = answerOf(value, '') ?? answerOf(get(get(value, 'output'), 'outputBodyJson'), RESPONSE);
  return answer ? { ...(list ?? { messages: [], pointer: '' }), answer } : list;
}

function answerOf(response: unknown, pointer: string): MessageList['answer'] {
  const message = getObject(getObject(response, 'output'), 'message');
  if (!message) return undefined;
  const details = { finishReason: getString(response, 'stopReason'), usage: bedrockUsage(get(response, 'usage')) };
  return { message, pointer: `${pointer}/output/message`, details };
}

function extrasOf(value: unknown): Partial<Pick<Session, 'system' | 'metadata' | 'tools'>> {
  const request = getObject(getObject(value, 'input'), 'inputBodyJson') ?? value;
  const system = (getArray(request, 'system') ?? []).flatMap((block) => getString(block, 'text') ?? []);
  const tools = getArray(getObject(request, 'toolConfig'), 'tools');
  return {
    system: system.length > 0 ? system.join('\n\n') : undefined,
    metadata: { model: getString(value, 'modelId') },
    tools: toolsOf(tools?.map((tool) => toolOf(getObject(tool, 'toolSpec')))),
  };
}

function toolOf(spec: unknown): unknown {
  return {
    name: get(spec, 'name'),
    description: get(spec, 'description'),
    inputSchema: get(get(spec, 'inputSchema'), 'json'),
  };
}
