import { get } from '../../core/json.ts';
import { parseQuotedJson } from '../chat/messages/dialects.ts';
import type { Span } from './span.ts';

/** The keys under which instrumentations record the conversation of a span, the most reliable first. */
const KEYS = [
  'session.id',
  'gen_ai.conversation.id',
  'gcp.vertex.agent.session_id',
  'langfuse.session.id',
  'mlflow.trace.session',
  ...['sessionId', 'session_id', 'conversationId', 'conversation_id', 'threadId', 'thread_id', 'chatId'].map(
    (key) => `ai.telemetry.metadata.${key}`,
  ),
  ...['session_id', 'conversation_id', 'thread_id', 'chat_id'].map((key) => `traceloop.association.properties.${key}`),
  'metadata.session_id',
  'metadata.conversation_id',
  'metadata.thread_id',
  'conversation.id',
  'thread.id',
  'session_id',
  'conversation_id',
  'thread_id',
] as const;

/** Keys in LangChain's metadata, which OpenInference records as JSON. */
const IN_METADATA = ['session_id', 'conversation_id', 'thread_id'] as const;

/** The conversation id of the first span that has one. */
export function sessionIdOf(spans: Iterable<Span>): string | undefined {
  for (const { attributes } of spans) {
    const own = attributes.text(...KEYS);
    if (own !== undefined) return String(parseQuotedJson(own));
    const metadata = attributes.text('metadata');
    if (metadata === undefined || !IN_METADATA.some((key) => metadata.includes(key))) continue;
    const parsed = parseQuotedJson(metadata);
    for (const key of IN_METADATA) {
      const id = get(parsed, key);
      if (typeof id === 'string' && id !== '') return id;
    }
  }
  return undefined;
}
