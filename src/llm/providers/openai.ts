// Its types alone: the client adds 670 kB, and takes keys, headers and a base URL from the environment on its own.
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import { asText, get, getArray, getNumber, getString, type JsonObject } from '../../core/json.ts';
import { keyHeaders, keyVariable, OPENAI_BASE_URL } from '../api-keys.ts';
import type { ChatModel, ChatPrompt, Completion } from '../chat-model.ts';
import { toMessages } from '../messages.ts';
import { ModelError } from '../model-error.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { errorText } from '../server-error.ts';
import { createTransport, endpoint, type Post, RequestRejected } from '../transport.ts';

/** A model behind OpenAI's chat completions, at OpenAI or at any server that speaks them. */
export function openaiModel(settings: ProviderSettings): ChatModel {
  const url = endpoint(settings.baseUrl ?? OPENAI_BASE_URL, 'chat/completions', settings.query);
  const post = openaiTransport(settings);
  // Parameters that this model has refused. Reasoning models take no temperature, for one.
  const refused = new Set<string>();

  return {
    provider: 'openai',
    model: settings.model,
    fingerprint: JSON.stringify([url.href, settings.temperature, settings.extraBody]),
    async complete(prompt, signal) {
      const body = requestBody(prompt, settings);
      return toCompletion(await postSupported(refused, body, (rest) => post(url, JSON.stringify(rest), signal)), url);
    },
  };
}

export function openaiTransport({
  baseUrl = OPENAI_BASE_URL,
  key,
  headers,
  timeoutMs,
}: Pick<ProviderSettings, 'baseUrl' | 'key' | 'headers' | 'timeoutMs'>): Post {
  return createTransport({
    headers: { ...keyHeaders(baseUrl, key), ...headers },
    timeoutMs,
    advice: {
      unreachable: 'Is the server running, and is the base URL right?',
      unknown: 'Are the name of the model and the base URL right?',
      unauthorized: `On the command line the key for this host is \`${keyVariable(baseUrl)}\`.`,
    },
  });
}

function requestBody(prompt: ChatPrompt, { model, temperature, extraBody, jsonFence }: ProviderSettings): JsonObject {
  const { system, user } = toMessages(prompt, jsonFence);
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
}: ChatPrompt): Pick<ChatCompletionCreateParamsNonStreaming, 'response_format'> {
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
const REQUIRED_PARAMETERS = new Set(['model', 'messages', 'response_format']);

/**
 * Sends a request without the parameters that were refused before; where the server refuses another one, once more
 * without that, and remembers it.
 */
async function postSupported(
  refused: Set<string>,
  body: JsonObject,
  send: (body: JsonObject) => Promise<unknown>,
): Promise<unknown> {
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !refused.has(name)));
  try {
    return await send(rest);
  } catch (cause) {
    if (!(cause instanceof RequestRejected) || (cause.status !== 400 && cause.status !== 422)) throw cause;
    if (body.response_format !== undefined && rejectsFormat(cause.body)) {
      throw new ModelError('structured_output', cause.message);
    }
    const name = Object.keys(rest).find((name) => !REQUIRED_PARAMETERS.has(name) && namesParameter(cause.body, name));
    if (name === undefined) throw cause;
    refused.add(name);
    return postSupported(refused, body, send);
  }
}

/** Whether an error is about a parameter: OpenAI says so in a field, others only in words. */
function namesParameter(body: unknown, parameter: string): boolean {
  const param = errorParameter(body);
  if (param !== undefined) return param === parameter || param.startsWith(`${parameter}.`);
  return errorText(body, []).split(/\W+/).includes(parameter);
}

function rejectsFormat(body: unknown): boolean {
  const param = errorParameter(body);
  if (param !== undefined) return param.startsWith('response_format');
  return /response_format|json_schema|json_object|structured output|json mode|grammar/i.test(errorText(body, []));
}

function errorParameter(body: unknown): string | undefined {
  return getString(get(body, 'error'), 'param') ?? getString(body, 'param');
}

function toCompletion(answer: unknown, { host }: URL): Completion {
  const choice = getArray(answer, 'choices')?.[0];
  // Gateways report what a provider behind them did in an answer with status 200.
  const error = get(answer, 'error') ?? get(choice, 'error');
  if (error !== undefined && error !== null) {
    throw new ModelError('server', `${host} passed on a failure: ${errorText({ error }, [])}`);
  }
  if (choice === undefined) throw new ModelError('no_answer', `${host} answered without a choice.`);
  const message = get(choice, 'message');
  const refusal = getString(message, 'refusal');
  const text = refusal || contentText(get(message, 'content'));
  const reason = getString(choice, 'finish_reason');
  const finish = refusal || reason === 'content_filter' ? 'refusal' : reason === 'length' ? 'length' : 'stop';
  if (text.trim() === '' && finish === 'stop') throw new ModelError('no_answer', `${host} answered with no text.`);
  return { text, finish, usage: toUsage(get(answer, 'usage')) };
}

/** Text, or parts of it. */
function contentText(content: unknown): string {
  if (!Array.isArray(content)) return content === null ? '' : asText(content);
  return content.map((part) => getString(part, 'text') ?? '').join('');
}

function toUsage(usage: unknown): Completion['usage'] {
  const promptTokens = getNumber(usage, 'prompt_tokens');
  const completionTokens = getNumber(usage, 'completion_tokens');
  return promptTokens === undefined || completionTokens === undefined ? null : { promptTokens, completionTokens };
}
