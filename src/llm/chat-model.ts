import { memoizeWeak } from '../core/cache/memoize.ts';
import type { JsonObject } from '../core/json.ts';

/** A model that completes a prompt, wherever it runs. */
export interface ChatModel {
  /** The name of its provider. */
  readonly provider: string;
  readonly model: string;
  /** What results say answered, where the version of the model is known before it is asked; else `provider/model`. */
  readonly identity?: string;
  /** What its answers depend on besides its name and the prompt: where it runs, and its parameters. Only ever hashed. */
  readonly fingerprint: string;
  /** Sends one request, without retries. @throws ModelError for everything that can go wrong, or the signal's reason. */
  complete(prompt: ChatPrompt, signal: AbortSignal): Promise<Completion>;
  /** Sends one request for the next message of a conversation, as plain text. @throws as `complete` */
  chat(messages: readonly ChatMessage[], signal: AbortSignal): Promise<Completion>;
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** A model that turns texts into vectors. */
export interface EmbeddingModel {
  readonly provider: string;
  readonly model: string;
  /** Where it runs, for messages. */
  readonly host: string;
  /** The vectors of the texts as the server gave them, in order and unchecked. @throws as `ChatModel.complete` */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly unknown[]>;
}

export interface ChatPrompt {
  /** Identical for all calls: instructions and what the delimiters mean. */
  readonly system: string;
  /** In the order in which they are sent, the longest-lived first, so that a server's prefix cache works. */
  readonly parts: readonly string[];
  /**
   * JSON Schema of the answer, in the subset that providers accept in strict mode. The same for all turns that are asked the same:
   * servers put it before the prompt, and compile each schema that they have not seen before.
   */
  readonly schema: JsonObject;
  /** The same with the ids that the prompt shows, for what takes a schema as a grammar alone. */
  exactSchema(): JsonObject;
  /** How the answer's shape is requested: by `response_format`, as any JSON, or in words alone. */
  readonly structured: 'schema' | 'json' | 'text';
}

export interface Completion {
  readonly text: string;
  /** `length`: the model reached its limit. */
  readonly finish: 'stop' | 'length' | 'refusal';
  /** As the server counted; null where it did not say. */
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number } | null;
  /** The model that answered, as its server names it, which may say more than the name that was asked for. */
  readonly version?: string | undefined;
}

/** More tokens than any request has. */
const MAX_TOKENS = 100_000_000;

/**
 * The usage that a server reports; null unless both counts are possible. A prompt has at least one token, so that 0 means that
 * nothing was counted. A budget or a price that is summed from impossible counts is wrong for the whole run.
 */
export function toUsage(promptTokens: unknown, completionTokens: unknown): Completion['usage'] {
  return isTokenCount(promptTokens) && promptTokens > 0 && isTokenCount(completionTokens)
    ? { promptTokens, completionTokens }
    : null;
}

function isTokenCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS;
}

/** How a chat model is called. */
export interface ChatSettings {
  readonly temperature: number;
  /** Requests in progress at the same time. */
  readonly concurrency: number;
  /** How the shape of an answer is requested; `auto`: in the strongest mode that the server supports. */
  readonly structuredOutput: 'auto' | 'schema' | 'json' | 'text';
  /** Around the JSON of an answer in words. */
  readonly jsonFence?: readonly [string, string] | undefined;
}

/** A schema as JSON; many calls have the same one. */
export const schemaText: (schema: JsonObject) => string = memoizeWeak((schema) => JSON.stringify(schema));

const DEFAULT_FENCE = ['```json', '```'] as const;

/**
 * Turns a prompt into two messages. If the server takes no schema, the schema is described in the first, which stays the same for
 * calls with the same questions.
 */
export function toMessages(
  { system, parts, schema, structured }: ChatPrompt,
  fence: readonly [string, string] = DEFAULT_FENCE,
): readonly [system: ChatMessage, user: ChatMessage] {
  const format = structured === 'schema' ? [] : [`Answer with JSON that fits this JSON Schema: ${schemaText(schema)}`];
  if (structured === 'text') {
    format.push(
      `Put the JSON between ${fence[0]} and ${fence[1]}, each on a line of its own, and write nothing after it.`,
    );
  }
  return [
    { role: 'system', content: [system, ...format].join('\n\n') },
    { role: 'user', content: parts.join('\n\n') },
  ];
}
