import type { Document } from '../../core/document.ts';
import { get, getArray, getId, getObject, getString } from '../../core/json.ts';
import type { Pointer, Session, Tool } from '../../core/session.ts';
import { isCodexSession } from '../agents/codex-harness.ts';
import type { SyncFormat } from '../format.ts';
import { stemOf, withUniqueIds } from '../ids.ts';
import { Problems } from '../problems.ts';
import { mostly, records, sample } from '../records.ts';
import { toolsOf } from '../tools.ts';
import { definedEntries, isoFromSeconds, jsonText, openAiUsage } from '../values.ts';
import { buildConversation } from './messages/conversation.ts';
import {
  type EndOfResponse,
  isItem,
  isResponses,
  itemsOf,
  messagesOf,
  type ResponsesEntry,
} from './messages/openai-responses.ts';
import { textIn } from './messages/openai-responses-results.ts';

/** Items, requests and responses of OpenAI's Responses API, and conversations stored by the Agents SDK. */
export const openAiResponses: SyncFormat = {
  name: 'openai-responses',
  title: 'OpenAI Responses',
  description:
    'Items of the Responses API: a list of them, requests {input, tools}, responses {output}, chains of those',

  detect({ value, lines }) {
    if (isItemList(value))
      return lines ? 'an item of the Responses API on every line' : 'a list of items of the Responses API';
    if (!mostly(sample(value), isRecord)) return null;
    return Array.isArray(value)
      ? 'a list of requests or responses of the Responses API'
      : 'a request or response with items';
  },

  read(document) {
    const problems = new Problems(document.file);
    const sessions = withUniqueIds(sessionsOf(document, problems), problems);
    if (sessions.length === 0) {
      problems.error(
        'no-session',
        '',
        'No items were found in this file: it has no `input`, `output` or list of items.',
      );
    }
    return { sessions, problems: problems.list() };
  },
};

function isItemList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && isResponses(sample(value));
}

/** Keys of other formats that contain items. */
const OTHER_FORMATS = ['trajectory_format', 'trajectory', 'spans', 'traceId', '$schemaVersion'] as const;

/** Parameters that text requests have, unlike requests for embeddings and others. */
const TEXT_REQUEST_KEYS = [
  'instructions',
  'tools',
  'reasoning',
  'text',
  'max_output_tokens',
  'previous_response_id',
  'store',
];

function isRecord(value: unknown): boolean {
  if (Array.isArray(value)) return isItemList(value);
  if (OTHER_FORMATS.some((key) => get(value, key) !== undefined) || isCodexSession(value)) return false;
  const output = getArray(value, 'output');
  if (get(value, 'object') === 'response') return output !== undefined || typeof get(value, 'status') === 'string';
  const input = get(value, 'input');
  if (output && isResponses(sample(output))) return input !== undefined;
  if (typeof get(value, 'model') === 'string' && TEXT_REQUEST_KEYS.some((key) => (get(value, key) ?? null) !== null)) {
    if (typeof input === 'string' || (Array.isArray(input) && mostly(sample(input), isItem))) return true;
  }
  const key = listKey(value);
  return key !== undefined && isItemList(get(value, key));
}

function listKey(value: unknown): string | undefined {
  return ['items', 'messages', 'history', 'conversation', 'input'].find((key) => getArray(value, key) !== undefined);
}

function* sessionsOf(document: Document, problems: Problems): Generator<Session> {
  const { file, value } = document;
  const stem = stemOf(file);
  if (isItemList(value)) {
    yield sessionOf([{ value, pointer: '' }], stem, file, problems);
    return;
  }
  const chains: ResponseChain[] = [];
  const byId = new Map<string, ResponseChain>();
  for (const [pointer, record] of records(document)) {
    if (!isRecord(record)) {
      problems.warn('not-a-conversation', pointer, 'Entry skipped: it is not a request, response or list of items.');
      continue;
    }
    const conversation = conversationId(record);
    const links = [getString(record, 'previous_response_id'), conversation].flatMap((id) => id || []);
    let chain = links.map((id) => byId.get(id)).find((link) => link !== undefined);
    if (!chain) {
      chain = [];
      chains.push(chain);
    }
    chain.push({ value: record, pointer });
    for (const id of [getString(record, 'id'), conversation]) if (id) byId.set(id, chain);
  }
  for (const [index, chain] of chains.entries()) {
    const fallback = Array.isArray(value) ? `${stem}-${index + 1}` : stem;
    yield sessionOf(chain, fallback, file, problems);
  }
}

/** Requests and responses of one conversation, in order. */
type ResponseChain = { readonly value: unknown; readonly pointer: Pointer }[];

function conversationId(value: unknown): string | undefined {
  return getString(get(value, 'conversation'), 'id') ?? getString(value, 'conversation');
}

function sessionOf(chain: ResponseChain, fallbackId: string, file: string, problems: Problems): Session {
  const first = chain[0] ?? { value: undefined, pointer: '' };
  const { system, systemPointer, turns } = buildConversation(messagesOf(entriesOf(chain), problems), problems);
  return {
    id: conversationId(first.value) || getId(first.value, 'id') || fallbackId,
    source: { file, format: openAiResponses.name, pointer: first.pointer },
    system,
    systemPointer,
    metadata: definedEntries({ ...getObject(first.value, 'metadata'), model: getString(first.value, 'model') }),
    tools: responsesTools(
      chain.map(({ value }) => get(value, 'tools')),
      chain.flatMap(({ value }) => listsIn(value).flatMap(({ items }) => items)),
    ),
    turns,
  };
}

function* entriesOf(chain: ResponseChain): Generator<ResponsesEntry> {
  let instructed: string | undefined;
  for (const { value, pointer } of chain) {
    const instructions = textIn(get(value, 'instructions'), `${pointer}/instructions`);
    // Every response of a conversation repeats the instructions.
    if (instructions && instructions.text !== instructed) {
      instructed = instructions.text;
      yield { role: 'system', pointer: instructions.pointer, content: instructions };
    }
    const at = isoFromSeconds(get(value, 'created_at'));
    const input = get(value, 'input');
    if (typeof input === 'string') {
      const content = { text: input, pointer: `${pointer}/input` };
      yield { role: 'user', pointer: content.pointer, content, at };
    }
    const model = getString(value, 'model');
    for (const { items, key } of listsIn(value)) yield* itemsOf(items, `${pointer}${key}`, { at, model });
    if (get(value, 'object') === 'response') yield { pointer, response: endOf(value) };
  }
}

/** The lists of items in a value, in the order of the conversation. */
function listsIn(value: unknown): { readonly items: readonly unknown[]; readonly key: Pointer }[] {
  if (Array.isArray(value)) return [{ items: value, key: '' }];
  const keys = getArray(value, 'output') ? ['input', 'output'] : [listKey(value) ?? 'input'];
  return keys.flatMap((key) => {
    const items = getArray(value, key);
    return items ? [{ items, key: `/${key}` }] : [];
  });
}

function endOf(response: unknown): EndOfResponse['response'] {
  const error = get(response, 'error') ?? undefined;
  return {
    usage: openAiUsage(get(response, 'usage')),
    finishReason: getString(get(response, 'incomplete_details'), 'reason') ?? getString(response, 'status'),
    error: error === undefined ? undefined : (getString(error, 'message') ?? jsonText(error)),
  };
}

/**
 * The tool catalogue of requests and responses: functions, the provider's tools under the names of their calls, and
 * tools of MCP servers, which are listed by an item or only known by their calls. Undefined if no request lists tools.
 *
 * @param lists the `tools` of the requests and responses of one conversation.
 */
function responsesTools(lists: readonly unknown[], items: Iterable<unknown>): Tool[] | undefined {
  if (!lists.some(Array.isArray)) return undefined;
  const byName = new Map<string, Tool>();
  const add = (tools: readonly Tool[]) => {
    for (const tool of tools) if (!byName.has(tool.name)) byName.set(tool.name, tool);
  };
  for (const list of lists) {
    for (const entry of Array.isArray(list) ? list : []) {
      const grouped = get(entry, 'type') === 'namespace' ? toolsOf(get(entry, 'tools')) : undefined;
      add(grouped ?? toolsOf([entry]) ?? []);
      add(providerTools(entry));
    }
  }
  for (const item of items) {
    const type = getString(item, 'type') ?? '';
    if (type === 'mcp_list_tools' || type === 'tool_search_output') add(toolsOf(getArray(item, 'tools')) ?? []);
    const name = getString(item, 'name');
    if (name && /^(?:mcp_call|mcp_approval_request|hosted_tool_call)$/.test(type)) add([{ name }]);
  }
  return [...byName.values()];
}

/** `web_search_preview` is called by `web_search_call`, and `computer_use_preview` by `computer_call`. */
const PROVIDER_TOOL =
  /^(web_search|file_search|code_interpreter|image_generation|computer|local_shell|shell|apply_patch|tool_search)/;

function providerTools(entry: unknown): Tool[] {
  const [, name] = PROVIDER_TOOL.exec(getString(entry, 'type') ?? '') ?? [];
  return name === undefined ? [] : [{ name }];
}
