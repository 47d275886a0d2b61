import type { ChatPrompt } from './chat-model.ts';

const DEFAULT_FENCE = ['```json', '```'] as const;

export interface ChatMessages {
  readonly system: string;
  readonly user: string;
}

/**
 * A prompt as two messages. Where the server takes no schema, the schema stands in words at the end, so that what calls
 * of a session share stays in front.
 */
export function toMessages(
  { system, parts, schema, structured }: ChatPrompt,
  fence: readonly [string, string] = DEFAULT_FENCE,
): ChatMessages {
  const asked =
    structured === 'schema' ? [] : [`Answer with JSON that fits this JSON Schema: ${JSON.stringify(schema)}`];
  if (structured === 'text') {
    asked.push(
      `Put the JSON between ${fence[0]} and ${fence[1]}, each on a line of its own, and write nothing after it.`,
    );
  }
  return { system, user: [...parts, ...asked].join('\n\n') };
}
