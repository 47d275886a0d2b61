import { get, getArray, getObject, getString } from '../../core/json.ts';
import type { Session } from '../../core/session.ts';
import { toolsOf } from '../tools.ts';
import { firstPresent } from '../values.ts';
import { chatFormat, type MessageList } from './chat-format.ts';
import { geminiContent, geminiMessages, geminiUsage, isGemini } from './messages/gemini.ts';

/** Google's Gemini API: contents, requests, responses, and records of Vertex AI batches. */
export const geminiContents = chatFormat({
  name: 'gemini-contents',
  title: 'Gemini contents',
  description: 'Contents, requests or responses of the Gemini API, or records {request, response}',
  dialect: { fits: isGemini, read: geminiMessages },
  messageNoun: 'Gemini contents',
  listOf: exchangeOf,
  extras: extrasOf,
});

function exchangeOf(value: unknown): MessageList | undefined {
  if (Array.isArray(value)) return { messages: value, pointer: '' };
  const list = contentsOf(value, '') ?? contentsOf(get(value, 'request'), '/request');
  const answer = answerOf(value, '') ?? answerOf(get(value, 'response'), '/response');
  return answer ? { ...(list ?? { messages: [], pointer: '' }), answer } : list;
}

function contentsOf(request: unknown, pointer: string): MessageList | undefined {
  for (const key of ['contents', 'history'] as const) {
    const messages = getArray(request, key);
    if (messages) return { messages, pointer: `${pointer}/${key}` };
  }
  return undefined;
}

/** The first candidate, which is the one used if there are several. */
function answerOf(response: unknown, pointer: string): MessageList['answer'] {
  const [candidate] = getArray(response, 'candidates') ?? [];
  const message = getObject(candidate, 'content');
  if (!message) return undefined;
  const [model, finishReason] = [
    firstPresent(response, 'modelVersion', 'model_version'),
    firstPresent(candidate, 'finishReason', 'finish_reason'),
  ];
  const details = {
    model: typeof model === 'string' ? model : undefined,
    finishReason: typeof finishReason === 'string' ? finishReason : undefined,
    usage: geminiUsage(firstPresent(response, 'usageMetadata', 'usage_metadata')),
  };
  return { message, pointer: `${pointer}/candidates/0/content`, details };
}

function extrasOf(value: unknown): Partial<Pick<Session, 'system' | 'metadata' | 'tools'>> {
  const request = getObject(value, 'request') ?? value;
  const config = getObject(request, 'config');
  const instructions =
    firstPresent(request, 'systemInstruction', 'system_instruction') ??
    firstPresent(config, 'systemInstruction', 'system_instruction');
  const tools = getArray(request, 'tools') ?? getArray(config, 'tools');
  return {
    system: typeof instructions === 'string' ? instructions : geminiContent(instructions, '').text?.text,
    metadata: { model: getString(request, 'model') },
    tools: toolsOf(tools?.flatMap(declarationsOf)),
  };
}

function declarationsOf(tool: unknown): readonly unknown[] {
  const declarations = firstPresent(tool, 'functionDeclarations', 'function_declarations');
  if (Array.isArray(declarations)) {
    return declarations.map((declaration) => ({
      name: get(declaration, 'name'),
      description: get(declaration, 'description'),
      parameters: firstPresent(declaration, 'parametersJsonSchema', 'parameters_json_schema', 'parameters'),
    }));
  }
  return firstPresent(tool, 'codeExecution', 'code_execution') === undefined ? [] : [{ name: 'code_execution' }];
}
