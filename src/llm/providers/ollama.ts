import type { ChatRequest } from 'ollama/browser';
import { get, getNumber, getObject, getString } from '../../core/json.ts';
import { keyHeaders, OLLAMA_BASE_URL } from '../api-keys.ts';
import type { ChatModel, ChatPrompt, Completion } from '../chat-model.ts';
import { toMessages } from '../messages.ts';
import { ModelError } from '../model-error.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { errorText } from '../server-error.ts';
import { estimateTokens } from '../token-estimate.ts';
import { createTransport, endpoint, type Post, RequestRejected } from '../transport.ts';

/** Tokens that an answer, and the thoughts before it, may take. */
const ANSWER_TOKENS = 4096;
const MIN_CONTEXT = 8192;

/** A model that Ollama serves, by its own API: only there can the context window be set and cut prompts be noticed. */
export function ollamaModel(settings: ProviderSettings): ChatModel {
  const { model, temperature, extraBody } = settings;
  const url = endpoint(settings.baseUrl ?? OLLAMA_BASE_URL, 'api/chat', settings.query);
  const post = ollamaTransport(settings);
  const options = getObject(extraBody, 'options');
  // Ollama loads the model anew whenever the window changes: it grows by doubling, and never shrinks.
  let window = MIN_CONTEXT;

  return {
    provider: 'ollama',
    model,
    fingerprint: JSON.stringify([url.href, temperature, extraBody]),
    async complete(prompt, signal) {
      const { system, user } = toMessages(prompt, settings.jsonFence);
      const tokens = estimateTokens(system) + estimateTokens(user);
      while (window < tokens * 1.25 + ANSWER_TOKENS) window *= 2;
      const request = {
        model,
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: user },
        ],
        stream: false,
        ...requestFormat(prompt),
      } satisfies ChatRequest;
      const body = {
        ...request,
        // Newer servers then refuse what does not fit, where older ones cut it in silence.
        truncate: false,
        shift: false,
        ...extraBody,
        options: { temperature, num_ctx: window, ...options },
      };
      const answer = await post(url, JSON.stringify(body), signal).catch((cause: unknown) => {
        throw prompt.structured === 'text' ? cause : toFormatError(cause);
      });
      return toCompletion(answer, { host: url.host, model, tokens });
    },
  };
}

export function ollamaTransport({
  model,
  baseUrl = OLLAMA_BASE_URL,
  key,
  headers,
  timeoutMs,
}: Pick<ProviderSettings, 'model' | 'baseUrl' | 'key' | 'headers' | 'timeoutMs'>): Post {
  return createTransport({
    headers: { ...keyHeaders(baseUrl, key), ...headers },
    timeoutMs,
    advice: {
      unreachable: 'Is Ollama running? `ollama serve` starts it.',
      unknown: `\`ollama pull ${model}\` fetches the model.`,
      unauthorized: 'On the command line the key for this host is `TURNWISE_API_KEY`.',
    },
  });
}

function requestFormat({ structured, schema }: ChatPrompt): Pick<ChatRequest, 'format'> {
  switch (structured) {
    case 'schema':
      return { format: schema };
    case 'json':
      return { format: 'json' };
    case 'text':
      return {};
  }
}

/** Ollama has no field for what it did not like. */
function toFormatError(cause: unknown): unknown {
  const isOfFormat = cause instanceof RequestRejected && /\b(format|grammar|schema)\b/i.test(errorText(cause.body, []));
  return isOfFormat ? new ModelError('structured_output', cause.message) : cause;
}

function toCompletion(answer: unknown, asked: { host: string; model: string; tokens: number }): Completion {
  const error = get(answer, 'error');
  if (error !== undefined) throw new ModelError('server', `${asked.host} failed: ${errorText(answer, [])}`);
  const promptTokens = getNumber(answer, 'prompt_eval_count');
  const completionTokens = getNumber(answer, 'eval_count');
  if (promptTokens !== undefined && isTruncated(promptTokens, asked.tokens)) {
    throw new ModelError(
      'prompt_cut',
      `${asked.host} read ${promptTokens} tokens of a prompt of about ${asked.tokens}: ${asked.model} has a smaller context window. Choose a model with a larger one, or put fewer questions into a call (\`questionsPerCall\`).`,
    );
  }
  const text = getString(get(answer, 'message'), 'content') ?? '';
  const finish = getString(answer, 'done_reason') === 'length' ? 'length' : 'stop';
  if (text.trim() === '' && finish === 'stop')
    throw new ModelError('no_answer', `${asked.host} answered with no text.`);
  const isCounted = promptTokens !== undefined && completionTokens !== undefined;
  return { text, finish, usage: isCounted ? { promptTokens, completionTokens } : null };
}

/**
 * The count is documented to be of the whole prompt, but some versions leave out what their prefix cache held. A prompt
 * that was cut fills a window, and no model has one this small: below it, the rest came from the cache.
 */
const MIN_TRUNCATED_TOKENS = 1024;

/** Our estimate may be off by a good part, so that only half of it is telling. */
function isTruncated(counted: number, estimated: number): boolean {
  return counted >= MIN_TRUNCATED_TOKENS && counted < estimated / 2;
}
