import type { ChatRequest } from 'ollama/browser';
import { get, getNumber, getObject, getString } from '../core/json.ts';
import type { ChatModel, Completion, Prompt } from './chat-model.ts';
import { ModelFault } from './fault.ts';
import { keyHeaders, OLLAMA_BASE_URL } from './keys.ts';
import { messagesOf } from './messages.ts';
import { errorText } from './server-error.ts';
import type { ServerSettings } from './server-settings.ts';
import { estimateTokens } from './tokens.ts';
import { endpoint, type Post, Refusal, transport } from './transport.ts';

/** Tokens that an answer, and the thoughts before it, may take. */
const ANSWER_ROOM = 4096;
const SMALLEST_WINDOW = 8192;

/** A model that Ollama serves, by its own API: only there can the context window be set and cut prompts be noticed. */
export function ollamaModel(settings: ServerSettings): ChatModel {
  const { model, temperature, extraBody } = settings;
  const url = endpoint(settings.baseUrl ?? OLLAMA_BASE_URL, 'api/chat', settings.query);
  const post = ollamaTransport(settings);
  const options = getObject(extraBody, 'options');
  // Ollama loads the model anew whenever the window changes: it grows by doubling, and never shrinks.
  let window = SMALLEST_WINDOW;

  return {
    provider: 'ollama',
    model,
    fingerprint: JSON.stringify([url.href, temperature, extraBody]),
    async complete(prompt, signal) {
      const { system, user } = messagesOf(prompt, settings.jsonFence);
      const tokens = estimateTokens(system) + estimateTokens(user);
      while (window < tokens * 1.25 + ANSWER_ROOM) window *= 2;
      const request = {
        model,
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: user },
        ],
        stream: false,
        ...formatOf(prompt),
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
        throw prompt.structured === 'text' ? cause : formatFault(cause);
      });
      return completionOf(answer, { host: url.host, model, tokens });
    },
  };
}

export function ollamaTransport({
  model,
  baseUrl = OLLAMA_BASE_URL,
  key,
  headers,
  timeoutMs,
}: Pick<ServerSettings, 'model' | 'baseUrl' | 'key' | 'headers' | 'timeoutMs'>): Post {
  return transport({
    headers: { ...keyHeaders(baseUrl, key), ...headers },
    timeoutMs,
    advice: {
      unreachable: 'Is Ollama running? `ollama serve` starts it.',
      unknown: `\`ollama pull ${model}\` fetches the model.`,
      unauthorized: 'On the command line the key for this host is `TURNWISE_API_KEY`.',
    },
  });
}

function formatOf({ structured, schema }: Prompt): Pick<ChatRequest, 'format'> {
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
function formatFault(cause: unknown): unknown {
  const isOfFormat = cause instanceof Refusal && /\b(format|grammar|schema)\b/i.test(errorText(cause.body, []));
  return isOfFormat ? new ModelFault('structured_output', cause.message) : cause;
}

function completionOf(answer: unknown, asked: { host: string; model: string; tokens: number }): Completion {
  const error = get(answer, 'error');
  if (error !== undefined) throw new ModelFault('server', `${asked.host} failed: ${errorText(answer, [])}`);
  const promptTokens = getNumber(answer, 'prompt_eval_count');
  const completionTokens = getNumber(answer, 'eval_count');
  if (promptTokens !== undefined && wasCut(promptTokens, asked.tokens)) {
    throw new ModelFault(
      'prompt_cut',
      `${asked.host} read ${promptTokens} tokens of a prompt of about ${asked.tokens}: ${asked.model} has a smaller context window. Choose a model with a larger one, or put fewer questions into a call (\`questionsPerCall\`).`,
    );
  }
  const text = getString(get(answer, 'message'), 'content') ?? '';
  const finish = getString(answer, 'done_reason') === 'length' ? 'length' : 'stop';
  if (text.trim() === '' && finish === 'stop')
    throw new ModelFault('no_answer', `${asked.host} answered with no text.`);
  const isCounted = promptTokens !== undefined && completionTokens !== undefined;
  return { text, finish, usage: isCounted ? { promptTokens, completionTokens } : null };
}

/**
 * The count is documented to be of the whole prompt, but some versions leave out what their prefix cache held. A prompt
 * that was cut fills a window, and no model has one this small: below it, the rest came from the cache.
 */
const LEAST_WINDOW = 1024;

/** Our estimate may be off by a good part, so that only half of it is telling. */
function wasCut(counted: number, estimated: number): boolean {
  return counted >= LEAST_WINDOW && counted < estimated / 2;
}
