import type { Document } from '../../core/document.ts';
import { get, getArray, getNumber, getObject, getString, isObject } from '../../core/json.ts';
import type { Pointer, Session, TokenUsage } from '../../core/session.ts';
import { buildConversation } from '../chat/messages/conversation.ts';
import { messagesOf, type ResponsesEntry, type ResponsesItem } from '../chat/messages/openai-responses.ts';
import type { SyncFormat } from '../format.ts';
import { stemOf } from '../ids.ts';
import { Problems } from '../problems.ts';
import { mostly, sample } from '../records.ts';
import { definedEntries, isoTime, openAiUsage } from '../values.ts';
import { isThreadEvent, threadId, threadMessages } from './codex-events.ts';
import { codexOutcome, isCodexSession, parseUserText, rolledBackLines, turnOf } from './codex-harness.ts';

/** A rollout, Codex's recording of a session: one event or item per line; or the events that `codex exec --json` prints. */
export const codex: SyncFormat = {
  name: 'codex',
  coding: true,
  title: 'Codex session',
  description:
    'A rollout of OpenAI Codex (~/.codex/sessions/**/rollout-*.jsonl), as lines, a list, {items} or {events}, or the output of codex exec --json',

  detect({ value, lines }) {
    if (isCodexSession(value)) return 'a Codex session with its `items`';
    const { list } = linesIn(value);
    if (mostly(sample(list), isThreadEvent) && threadId(sample(list)) !== undefined) {
      return 'a list of the events that `codex exec` prints';
    }
    if (!mostly(sample(list), isLine)) return null;
    return lines ? 'a Codex `type` and `payload` on every line' : 'a list of Codex lines with `type` and `payload`';
  },

  read(document) {
    const problems = new Problems(document.file);
    const session = sessionOf(document, problems);
    if (!session)
      problems.error('no-session', '', 'No line of a Codex session was found in this file: none has a `payload`.');
    return { sessions: session ? [session] : [], problems: problems.list() };
  },
};

const TYPES: ReadonlySet<unknown> = new Set([
  'session_meta',
  'turn_context',
  'response_item',
  'event_msg',
  'compacted',
]);

function isLine(value: unknown): boolean {
  return TYPES.has(get(value, 'type')) && isObject(get(value, 'payload'));
}

/** The lines, and where their list stands. */
function linesIn(value: unknown): { readonly list: readonly unknown[]; readonly pointer: Pointer } {
  if (Array.isArray(value)) return { list: value, pointer: '' };
  return { list: getArray(value, 'events') ?? [], pointer: '/events' };
}

function sessionOf({ file, value }: Document, problems: Problems): Session | undefined {
  const items = getArray(value, 'items');
  const { list: lines, pointer } = linesIn(value);
  const thread = items ? undefined : threadId(lines);
  if (thread !== undefined) {
    const { turns } = buildConversation(threadMessages(lines, pointer), problems);
    return { id: thread, source: { file, format: codex.name, pointer: '' }, turns };
  }
  const head = lines.find((line) => get(line, 'type') === 'session_meta');
  const meta = items ? getObject(value, 'session') : getObject(head, 'payload');
  if (!items && !lines.some((line) => isObject(get(line, 'payload')))) return undefined;
  const entries = items ? entriesOfItems(items) : entriesOfLines(lines, pointer, problems);
  const { system, turns } = buildConversation(messagesOf(entries, problems, codexOutcome), problems);
  const instructions = getString(get(meta, 'base_instructions'), 'text') ?? getString(meta, 'instructions');
  return {
    id: getString(meta, 'id') || stemOf(file),
    source: { file, format: codex.name, pointer: '' },
    system: [instructions, system].filter((text) => text).join('\n\n') || undefined,
    metadata: definedEntries({
      cwd: getString(meta, 'cwd'),
      cli_version: getString(meta, 'cli_version'),
      model_provider: getString(meta, 'model_provider'),
      git: getObject(meta, 'git'),
    }),
    agentVersion: getString(meta, 'cli_version'),
    turns,
  };
}

function* entriesOfItems(items: readonly unknown[]): Generator<ResponsesEntry> {
  for (const [index, item] of items.entries()) {
    if (item !== undefined) yield* entriesOf({ item, pointer: `/items/${index}`, turn: turnOf(item) });
  }
}

function* entriesOfLines(lines: readonly unknown[], list: Pointer, problems: Problems): Generator<ResponsesEntry> {
  const rolledBack = rolledBackLines(lines, list, problems);
  let model: string | undefined;
  for (const [index, line] of lines.entries()) {
    if (rolledBack.has(index)) continue;
    const item = get(line, 'payload');
    const pointer = `${list}/${index}/payload`;
    switch (get(line, 'type')) {
      case 'turn_context':
        model = getString(item, 'model') ?? model;
        break;
      case 'response_item':
        yield* entriesOf({ item, pointer, at: isoTime(get(line, 'timestamp')), turn: turnOf(item), model });
        break;
      case 'event_msg':
        yield* endOf(item, pointer);
        break;
    }
  }
}

/** Splits user messages into instructions by Codex and the user's text; other items are unchanged. */
function* entriesOf(entry: ResponsesItem): Generator<ResponsesEntry> {
  const { item, pointer, at, turn } = entry;
  if (get(item, 'role') !== 'user') {
    yield entry;
    return;
  }
  const { user, instructions } = parseUserText(item, pointer);
  for (const content of instructions) yield { role: 'system', pointer, content };
  if (user !== undefined) yield { role: 'user', pointer, content: user, at, turn };
}

/** The error or usage of the previous model call. Items repeat the rest of the events. */
function* endOf(event: unknown, pointer: Pointer): Generator<ResponsesEntry> {
  const type = get(event, 'type');
  if (type === 'error') {
    yield { pointer, response: { error: getString(event, 'message') ?? 'Codex names no reason.' } };
  } else if (type === 'token_count') {
    const usage = usageOf(getObject(get(event, 'info'), 'last_token_usage')) ?? openAiUsage(get(event, 'usage'));
    if (usage) yield { pointer, response: { usage } };
  }
}

function usageOf(counts: unknown): TokenUsage | undefined {
  const inputTokens = getNumber(counts, 'input_tokens');
  const output = getNumber(counts, 'output_tokens');
  if (inputTokens === undefined || output === undefined) return undefined;
  const reasoningTokens = getNumber(counts, 'reasoning_output_tokens');
  return {
    inputTokens,
    outputTokens: Math.max(0, output - (reasoningTokens ?? 0)),
    cachedTokens: getNumber(counts, 'cached_input_tokens'),
    reasoningTokens,
  };
}
