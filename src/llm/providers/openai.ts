import type OpenAI from 'openai';
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import { asText, get, getArray, getNumber, getString } from '../../core/json.ts';
import { MODEL_PROVIDERS } from '../../core/model-providers.ts';
import {
  type ChatMessage,
  type ChatModel,
  type ChatPrompt,
  type Completion,
  type EmbeddingModel,
  toMessages,
  toUsage,
} from '../chat-model.ts';
import { ModelError, RequestRejected } from '../model-error.ts';
import { errorText } from '../server-error.ts';
import {
  type ChatModelSettings,
  endpointUrl,
  keyHeaders,
  type ModelProvider,
  type ServerSettings,
  splitEndpoint,
} from './provider.ts';

const BASE_URL = MODEL_PROVIDERS.openai.defaultBaseUrl;
/** Regions are in front of the host's name: eu.api.openai.com. */
const OWN_HOST = { pattern: /^([a-z]+\.)?api\.openai\.com$/, keyVariable: 'OPENAI_API_KEY' } as const;

/** OpenAI, and every server that speaks its API. */
export const openai = {
  name: 'openai',
  defaultBaseUrl: BASE_URL,
  exampleBaseUrl: 'http://localhost:8000/v1',
  ownHost: OWN_HOST,
  // More than there are metrics by default, so that all questions about a turn go into one call.
  questionsPerCall: 32,
  concurrency: MODEL_PROVIDERS.openai.concurrency,
  createChatModel,
  createEmbeddingModel,
} as const satisfies ModelProvider;

function createChatModel(settings: ChatModelSettings): ChatModel {
  const url = endpointUrl(settings.baseUrl ?? BASE_URL, 'chat/completions', settings.query);
  const connect = lazyClient(url, 'chat/completions', settings);
  // Parameters that this model has refused. Reasoning models take no temperature, for example.
  const refused = new Set<string>();

  const send = async (messages: readonly ChatMessage[], format: ResponseFormat, signal: AbortSignal) => {
    const { model, temperature, extraBody } = settings;
    const fullBody = { model, messages: [...messages], temperature, ...format, ...extraBody };
    const call = await connect();
    const response = await postSupported(refused, fullBody, (body) =>
      call(signal, (client) => client.chat.completions.create(body)),
    );
    return toCompletion(response, url);
  };
  return {
    provider: 'openai',
    model: settings.model,
    fingerprint: JSON.stringify([url.href, settings.temperature, settings.extraBody]),
    complete: (prompt, signal) => send(toMessages(prompt, settings.jsonFence), responseFormat(prompt), signal),
    chat: (messages, signal) => send(messages, {}, signal),
  };
}

function createEmbeddingModel(settings: ServerSettings): EmbeddingModel {
  const { model } = settings;
  const url = endpointUrl(settings.baseUrl ?? BASE_URL, 'embeddings', settings.query);
  const connect = lazyClient(url, 'embeddings', settings);
  return {
    provider: 'openai',
    model,
    host: url.host,
    async embed(texts, signal) {
      const call = await connect();
      // As plain numbers: not every server knows base64.
      const response: unknown = await call(signal, (client) =>
        client.embeddings.create({ model, input: [...texts], encoding_format: 'float' }),
      );
      const data = getArray(response, 'data') ?? [];
      // Each says which text it belongs to.
      const ordered = data.toSorted((a, b) => (getNumber(a, 'index') ?? 0) - (getNumber(b, 'index') ?? 0));
      return ordered.map((item) => get(item, 'embedding'));
    },
  };
}

type Call = <T>(signal: AbortSignal, request: (client: OpenAI) => Promise<T>) => Promise<T>;

/** Loads the SDK for the first request: it is large, and most runs send none. */
function lazyClient(endpoint: URL, path: string, settings: ServerSettings): () => Promise<Call> {
  const { baseUrl = BASE_URL, key, timeoutMs } = settings;
  const load = async (): Promise<Call> => {
    const [{ OpenAI }, { createConnection }] = await Promise.all([import('openai'), import('../connection.ts')]);
    const { baseUrl: baseURL, query } = splitEndpoint(endpoint, path);
    const headers = { ...keyHeaders(baseUrl, key), ...settings.headers };
    const connection = createConnection({
      headers,
      query,
      timeoutMs,
      advice: {
        unreachable: 'Is the server running, and is the base URL right?',
        unknown: 'Are the name of the model and the base URL right?',
        unauthorized: `On the command line the key for this host is \`${OWN_HOST.pattern.test(endpoint.hostname) ? OWN_HOST.keyVariable : 'TURNWISE_API_KEY'}\`.`,
      },
    });
    const options = {
      baseURL,
      // The SDK does not work without one, and its own header gives way to those below.
      apiKey: key ?? 'none',
      defaultHeaders: { authorization: null, ...headers },
      // Otherwise the SDK reads these from the environment.
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      logLevel: 'off',
      // The connection limits time, and the caller retries.
      timeout: LONGEST_TIMEOUT_MS,
      maxRetries: 0,
    } as const;
    return (signal, request) => connection.call(signal, (fetch) => request(new OpenAI({ ...options, fetch })));
  };
  let client: Promise<Call> | undefined;
  return () => {
    client ??= load();
    return client;
  };
}

/** The longest that a timer takes. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

type RequestBody = ChatCompletionCreateParamsNonStreaming & Record<string, unknown>;

type ResponseFormat = Pick<ChatCompletionCreateParamsNonStreaming, 'response_format'>;

function responseFormat({ structured, schema }: ChatPrompt): ResponseFormat {
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

/** No request works without these. */
const REQUIRED_PARAMETERS = new Set(['model', 'messages', 'response_format']);

/**
 * Sends a request without the parameters that were refused before. If the server refuses another one, retries without it and
 * remembers it.
 */
async function postSupported(
  refused: Set<string>,
  body: RequestBody,
  send: (body: RequestBody) => Promise<unknown>,
): Promise<unknown> {
  const rest = { ...body };
  for (const name of refused) delete rest[name];
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

/** Whether an error is about a parameter: OpenAI names it in a field, others only in the message. */
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
  // Gateways report errors of the provider behind them with status 200.
  const error = get(answer, 'error') ?? get(choice, 'error');
  if (error !== undefined && error !== null) {
    throw new ModelError('server', `${host} passed on an error: ${errorText({ error }, [])}`);
  }
  if (choice === undefined) throw new ModelError('no_answer', `${host} answered without a choice.`);
  const message = get(choice, 'message');
  const refusal = getString(message, 'refusal');
  const text = refusal || contentText(get(message, 'content'));
  const reason = getString(choice, 'finish_reason');
  const finish = refusal || reason === 'content_filter' ? 'refusal' : reason === 'length' ? 'length' : 'stop';
  if (text.trim() === '' && finish === 'stop') throw new ModelError('no_answer', `${host} answered with no text.`);
  const usage = get(answer, 'usage');
  const counted = toUsage(get(usage, 'prompt_tokens'), get(usage, 'completion_tokens'));
  return { text, finish, usage: counted, version: getString(answer, 'model') };
}

/** Text, or parts of it. */
function contentText(content: unknown): string {
  if (!Array.isArray(content)) return content === null ? '' : asText(content);
  return content.map((part) => getString(part, 'text') ?? '').join('');
}
