// Its types alone: the client adds 670 kB, and takes keys, headers and a base URL from the environment on its own.
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import { asText, get, getArray, getNumber, getString, type JsonObject } from '../core/json.ts';
import type { ChatModel, Completion, Prompt } from './chat-model.ts';
import { ModelFault } from './fault.ts';
import { keyHeaders, keyVariable, OPENAI_BASE_URL } from './keys.ts';
import { messagesOf } from './messages.ts';
import { errorText } from './server-error.ts';
import type { ServerSettings } from './server-settings.ts';
import { endpoint, type Post, Refusal, transport } from './transport.ts';

/** A model behind OpenAI's chat completions, at OpenAI or at any server that speaks them. */
export function openaiModel(settings: ServerSettings): ChatModel {
  const url = endpoint(settings.baseUrl ?? OPENAI_BASE_URL, 'chat/completions', settings.query);
  const post = openaiTransport(settings);
  // Parameters that this model has refused. Reasoning models take no temperature, for one.
  const refused = new Set<string>();

  return {
    provider: 'openai',
    model: settings.model,
    fingerprint: JSON.stringify([url.href, settings.temperature, settings.extraBody]),
    async complete(prompt, signal) {
      const body = bodyOf(prompt, settings);
      return completionOf(await postWithout(refused, body, (rest) => post(url, JSON.stringify(rest), signal)), url);
    },
  };
}

export function openaiTransport({
  baseUrl = OPENAI_BASE_URL,
  key,
  headers,
  timeoutMs,
}: Pick<ServerSettings, 'baseUrl' | 'key' | 'headers' | 'timeoutMs'>): Post {
  return transport({
    headers: { ...keyHeaders(baseUrl, key), ...headers },
    timeoutMs,
    advice: {
      unreachable: 'Is the server running, and is the base URL right?',
      unknown: 'Are the name of the model and the base URL right?',
      unauthorized: `On the command line the key for this host is \`${keyVariable(baseUrl)}\`.`,
    },
  });
}

function bodyOf(prompt: Prompt, { model, temperature, extraBody, jsonFence }: ServerSettings): JsonObject {
  const { system, user } = messagesOf(prompt, jsonFence);
  const body = {
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    temperature,
    ...responseFormat(prompt),
  } satisfies ChatCompletionCreateParamsNonStreaming;
  return { ...body, ...extraBody };
}

function responseFormat({
  structured,
  schema,
}: Prompt): Pick<ChatCompletionCreateParamsNonStreaming, 'response_format'> {
  switch (structured) {
    case 'schema':
      return {
        response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: { ...schema } } },
      };
    case 'json':
      return { response_format: { type: 'json_object' } };
    case 'text':
      return {};
  }
}

/** What no request can do without. */
const NECESSARY = new Set(['model', 'messages', 'response_format']);

/**
 * Sends a request without the parameters that were refused before; where the server refuses another one, once more
 * without that, and remembers it.
 */
async function postWithout(
  refused: Set<string>,
  body: JsonObject,
  send: (body: JsonObject) => Promise<unknown>,
): Promise<unknown> {
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !refused.has(name)));
  try {
    return await send(rest);
  } catch (cause) {
    if (!(cause instanceof Refusal) || (cause.status !== 400 && cause.status !== 422)) throw cause;
    if (body.response_format !== undefined && complainsOfFormat(cause.body)) {
      throw new ModelFault('structured_output', cause.message);
    }
    const name = Object.keys(rest).find((name) => !NECESSARY.has(name) && names(cause.body, name));
    if (name === undefined) throw cause;
    refused.add(name);
    return postWithout(refused, body, send);
  }
}

/** Whether an error is about a parameter: OpenAI says so in a field, others only in words. */
function names(body: unknown, parameter: string): boolean {
  const param = paramOf(body);
  if (param !== undefined) return param === parameter || param.startsWith(`${parameter}.`);
  return errorText(body, []).split(/\W+/).includes(parameter);
}

function complainsOfFormat(body: unknown): boolean {
  const param = paramOf(body);
  if (param !== undefined) return param.startsWith('response_format');
  return /response_format|json_schema|json_object|structured output|json mode|grammar/i.test(errorText(body, []));
}

function paramOf(body: unknown): string | undefined {
  return getString(get(body, 'error'), 'param') ?? getString(body, 'param');
}

function completionOf(answer: unknown, { host }: URL): Completion {
  const choice = getArray(answer, 'choices')?.[0];
  // Gateways report what a provider behind them did in an answer with status 200.
  const error = get(answer, 'error') ?? get(choice, 'error');
  if (error !== undefined && error !== null) {
    throw new ModelFault('server', `${host} passed on a failure: ${errorText({ error }, [])}`);
  }
  if (choice === undefined) throw new ModelFault('no_answer', `${host} answered without a choice.`);
  const message = get(choice, 'message');
  const refusal = getString(message, 'refusal');
  const text = refusal || contentOf(get(message, 'content'));
  const reason = getString(choice, 'finish_reason');
  const finish = refusal || reason === 'content_filter' ? 'refusal' : reason === 'length' ? 'length' : 'stop';
  if (text.trim() === '' && finish === 'stop') throw new ModelFault('no_answer', `${host} answered with no text.`);
  return { text, finish, usage: usageOf(get(answer, 'usage')) };
}

/** Text, or parts of it. */
function contentOf(content: unknown): string {
  if (!Array.isArray(content)) return content === null ? '' : asText(content);
  return content.map((part) => getString(part, 'text') ?? '').join('');
}

function usageOf(usage: unknown): Completion['usage'] {
  const promptTokens = getNumber(usage, 'prompt_tokens');
  const completionTokens = getNumber(usage, 'completion_tokens');
  return promptTokens === undefined || completionTokens === undefined ? null : { promptTokens, completionTokens };
}
