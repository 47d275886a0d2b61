import { get, getArray, getNumber, getString } from '../../core/json.ts';
import type { Pointer, Session, TokenUsage } from '../../core/session.ts';
import { buildConversation } from '../chat/messages/conversation.ts';
import { isItem, itemsOf, messagesOf, type ResponsesEntry } from '../chat/messages/openai-responses.ts';
import type { Problems } from '../problems.ts';
import { mostly, sample } from '../records.ts';
import { definedEntries, firstPresent, firstPresentKey } from '../values.ts';

/**
 * Stored run states of the Agents SDK: input, model responses and generated items. Keys are in camel case (JavaScript)
 * or snake case (Python).
 */

/** Whether a value is a run state. */
export function isRunState(value: unknown): boolean {
  const input = firstPresent(value, 'originalInput', 'original_input');
  return (
    typeof get(value, '$schemaVersion') === 'string' &&
    (typeof input === 'string' || (Array.isArray(input) && (input.length === 0 || mostly(sample(input), isItem)))) &&
    Array.isArray(firstPresent(value, 'modelResponses', 'model_responses'))
  );
}

/** The session of a run state; `pointer` is the state's. */
export function sessionOfState(
  value: unknown,
  source: Session['source'],
  fallbackId: string,
  problems: Problems,
): Session {
  const trace = get(value, 'trace');
  const group = firstPresent(trace, 'groupId', 'group_id');
  const { system, systemPointer, turns } = buildConversation(
    messagesOf(entriesOf(value, source.pointer), problems),
    problems,
  );
  return {
    id:
      (typeof group === 'string' && group) ||
      getString(value, 'conversationId') ||
      getString(trace, 'id') ||
      fallbackId,
    source,
    system,
    systemPointer,
    metadata: definedEntries({ agent: getString(firstPresent(value, 'currentAgent', 'current_agent'), 'name') }),
    turns,
  };
}

function* entriesOf(state: unknown, pointer: Pointer): Generator<ResponsesEntry> {
  const inputKey = firstPresentKey(state, 'originalInput', 'original_input') ?? 'originalInput';
  const input = get(state, inputKey);
  const place = `${pointer}/${inputKey}`;
  if (typeof input === 'string') yield { role: 'user', pointer: place, content: { text: input, pointer: place } };
  else if (Array.isArray(input)) yield* itemsOf(input, place);

  const generated = generatedIn(state, pointer);
  const key = firstPresentKey(state, 'modelResponses', 'model_responses') ?? 'modelResponses';
  for (const [index, response] of (getArray(state, key) ?? []).entries()) {
    const answer = `${pointer}/${key}/${index}`;
    const calls: string[] = [];
    for (const item of itemsOf(getArray(response, 'output') ?? [], `${answer}/output`)) {
      const id = idOf(item.item);
      const speaker = id === undefined ? undefined : generated.speakers.get(id);
      yield { ...item, ...(speaker !== undefined && { speaker }) };
      if (id !== undefined) calls.push(id);
    }
    const usage = usageOf(get(response, 'usage'));
    if (usage) yield { pointer: answer, response: { usage } };
    // Tool outputs are beside the responses.
    for (const id of calls) yield* generated.outputs.get(id) ?? [];
  }
}

interface GeneratedItems {
  /** Agent names by item id and by call id. */
  readonly speakers: ReadonlyMap<string, string>;
  /** Outputs by call id. */
  readonly outputs: ReadonlyMap<string, readonly ResponsesEntry[]>;
}

function generatedIn(state: unknown, pointer: Pointer): GeneratedItems {
  const speakers = new Map<string, string>();
  const outputs = new Map<string, ResponsesEntry[]>();
  const key = firstPresentKey(state, 'generatedItems', 'generated_items') ?? 'generatedItems';
  for (const [index, entry] of (getArray(state, key) ?? []).entries()) {
    const rawKey = firstPresentKey(entry, 'rawItem', 'raw_item') ?? 'rawItem';
    const item = get(entry, rawKey);
    const id = idOf(item);
    if (id === undefined) continue;
    const speaker = getString(get(entry, 'agent'), 'name');
    if (/_output_item$/.test(getString(entry, 'type') ?? '')) {
      const output = { item, pointer: `${pointer}/${key}/${index}/${rawKey}` };
      const earlier = outputs.get(id);
      if (earlier) earlier.push(output);
      else outputs.set(id, [output]);
    } else if (speaker !== undefined) speakers.set(id, speaker);
  }
  return { speakers, outputs };
}

function idOf(item: unknown): string | undefined {
  return getString(item, 'callId') ?? getString(item, 'call_id') ?? getString(item, 'id');
}

function usageOf(usage: unknown): TokenUsage | undefined {
  const input = getNumber(usage, 'inputTokens') ?? getNumber(usage, 'input_tokens');
  const output = getNumber(usage, 'outputTokens') ?? getNumber(usage, 'output_tokens');
  return input === undefined && output === undefined
    ? undefined
    : { inputTokens: input ?? 0, outputTokens: output ?? 0 };
}
