import type { ChatRequest, Ollama } from 'ollama/browser';
import { get, getArray, getNumber, getObject, getString } from '../../core/json.ts';
import { MODEL_PROVIDERS } from '../../core/model-providers.ts';
import { estimateTokens } from '../../core/text/estimate-tokens.ts';
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

const BASE_URL = MODEL_PROVIDERS.ollama.defaultBaseUrl;

/** Ollama, by its own API: only there can the context window be set and truncated prompts be detected. */
export const ollama = {
  name: 'ollama',
  defaultBaseUrl: BASE_URL,
  exampleBaseUrl: BASE_URL,
  // Small models lose track in long lists of questions.
  questionsPerCall: 4,
  // It answers one request at a time unless it is configured otherwise.
  concurrency: MODEL_PROVIDERS.ollama.concurrency,
  createChatModel,
  createEmbeddingModel,
} as const satisfies ModelProvider;

/** Tokens for an answer, and the thoughts before it. */
const ANSWER_TOKENS = 4096;
const MIN_CONTEXT = 8192;

function createChatModel(settings: ChatModelSettings): ChatModel {
  const { model, temperature, extraBody } = settings;
  const url = endpointUrl(settings.baseUrl ?? BASE_URL, 'api/chat', settings.query);
  const connect = lazyClient(url, 'api/chat', settings);
  const options = getObject(extraBody, 'options');
  // Ollama reloads the model whenever the context window changes: it grows by doubling, and never shrinks.
  let contextWindow = MIN_CONTEXT;

  const send = async (messages: readonly ChatMessage[], format: Pick<ChatRequest, 'format'>, signal: AbortSignal) => {
    const tokens = messages.reduce((sum, { content }) => sum + estimateTokens(content), 0);
    while (contextWindow < tokens * 1.25 + ANSWER_TOKENS) contextWindow *= 2;
    const request = {
      model,
      messages: [...messages],
      stream: false as const,
      ...format,
      // Newer servers then refuse what does not fit, where older ones truncate it silently.
      truncate: false,
      shift: false,
      ...extraBody,
      options: { temperature, num_ctx: contextWindow, ...options },
    };
    const call = await connect();
    const response: unknown = await call(signal, (client) => client.chat(request));
    return toCompletion(response, { host: url.host, model, tokens });
  };
  return {
    provider: 'ollama',
    model,
    fingerprint: JSON.stringify([url.href, temperature, extraBody]),
    async complete(prompt, signal) {
      const messages = toMessages(prompt, settings.jsonFence);
      return send(messages, requestFormat(prompt), signal).catch((cause: unknown) => {
        throw prompt.structured === 'text' ? cause : toFormatError(cause);
      });
    },
    chat: (messages, signal) => send(messages, {}, signal),
  };
}

function createEmbeddingModel(settings: ServerSettings): EmbeddingModel {
  const { model } = settings;
  const url = endpointUrl(settings.baseUrl ?? BASE_URL, 'api/embed', settings.query);
  const connect = lazyClient(url, 'api/embed', settings);
  return {
    provider: 'ollama',
    model,
    host: url.host,
    async embed(texts, signal) {
      const call = await connect();
      // A text that is too long is an error: it must not be compared by its beginning alone.
      const response: unknown = await call(signal, (client) =>
        client.embed({ model, input: [...texts], truncate: false }),
      );
      return getArray(response, 'embeddings') ?? [];
    },
  };
}

type Call = <T>(signal: AbortSignal, request: (client: Ollama) => Promise<T>) => Promise<T>;

/** Loads the SDK for the first request: most runs send none. */
function lazyClient(endpoint: URL, path: string, settings: ServerSettings): () => Promise<Call> {
  const { model, baseUrl = BASE_URL, key, timeoutMs } = settings;
  const load = async (): Promise<Call> => {
    const [{ Ollama: Client }, { createConnection }] = await Promise.all([
      import('ollama/browser'),
      import('../connection.ts'),
    ]);
    const { baseUrl: host, query } = splitEndpoint(endpoint, path);
    const headers = { ...keyHeaders(baseUrl, key), ...settings.headers };
    const connection = createConnection({
      headers,
      query,
      timeoutMs,
      advice: {
        unreachable: 'Is Ollama running? `ollama serve` starts it.',
        unknown: `\`ollama pull ${model}\` fetches the model.`,
        unauthorized: 'On the command line the key for this host is `TURNWISE_API_KEY`.',
      },
    });
    return (signal, request) => connection.call(signal, (fetch) => request(new Client({ host, headers, fetch })));
  };
  let client: Promise<Call> | undefined;
  return () => {
    client ??= load();
    return client;
  };
}

function requestFormat({ structured, exactSchema }: ChatPrompt): Pick<ChatRequest, 'format'> {
  switch (structured) {
    case 'schema':
      // It becomes a grammar, which is no part of the prompt.
      return { format: exactSchema() };
    case 'json':
      return { format: 'json' };
    case 'text':
      return {};
  }
}

/** Ollama has no field that names what it refused. */
function toFormatError(cause: unknown): unknown {
  const isOfFormat = cause instanceof RequestRejected && /\b(format|grammar|schema)\b/i.test(errorText(cause.body, []));
  return isOfFormat ? new ModelError('structured_output', cause.message) : cause;
}

function toCompletion(answer: unknown, sent: { host: string; model: string; tokens: number }): Completion {
  const error = get(answer, 'error');
  if (error !== undefined) throw new ModelError('server', `${sent.host} failed: ${errorText(answer, [])}`);
  const promptTokens = getNumber(answer, 'prompt_eval_count');
  if (promptTokens !== undefined && isTruncated(promptTokens, sent.tokens)) {
    throw new ModelError(
      'prompt_cut',
      `${sent.host} read ${promptTokens} tokens of a prompt of about ${sent.tokens}: ${sent.model} has a smaller context window. Choose a model with a larger one, or ask fewer questions per call (\`questionsPerCall\`).`,
    );
  }
  const text = getString(get(answer, 'message'), 'content') ?? '';
  const finish = getString(answer, 'done_reason') === 'length' ? 'length' : 'stop';
  if (text.trim() === '' && finish === 'stop') throw new ModelError('no_answer', `${sent.host} answered with no text.`);
  const usage = toUsage(promptTokens, get(answer, 'eval_count'));
  return { text, finish, usage, version: getString(answer, 'model') };
}

/**
 * The count is documented to cover the whole prompt, but some versions leave out what their prefix cache contains. A truncated
 * prompt fills a context window, and no model has one this small: below it, the rest came from the cache.
 */
const MIN_TRUNCATED_TOKENS = 1024;

/** Estimates are imprecise: only a count below half of one proves a truncated prompt. */
function isTruncated(counted: number, estimated: number): boolean {
  return counted >= MIN_TRUNCATED_TOKENS && counted < estimated / 2;
}
