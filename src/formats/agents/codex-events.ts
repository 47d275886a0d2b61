import { asText, get, getArray, getNumber, getObject, getString, type JsonObject } from '../../core/json.ts';
import type { Pointer } from '../../core/session.ts';
import type { ExecutionMessage, Message, RecordedEvent } from '../chat/messages/conversation.ts';
import { openAiUsage } from '../values.ts';

/**
 * What `codex exec --json` prints: events of a thread. They have no times and not the user's prompt; an item is printed
 * when it starts, changes and ends, and counts as it was last.
 * Source: the crate `codex-exec` of Codex, exec_events.rs.
 */

export function isThreadEvent(value: unknown): boolean {
  return /^(?:thread|turn|item)\.[a-z]+$/.test(getString(value, 'type') ?? '');
}

export function threadId(events: readonly unknown[]): string | undefined {
  return getString(
    events.find((event) => get(event, 'type') === 'thread.started'),
    'thread_id',
  );
}

/** @param pointer of the list. */
export function* threadMessages(events: readonly unknown[], pointer: Pointer): Generator<Message | RecordedEvent> {
  const last = lastEvents(events);
  let turn = 0;
  for (const [index, event] of events.entries()) {
    const place = `${pointer}/${index}`;
    const at = { pointer: place, turn: `turn ${turn}` };
    switch (getString(event, 'type')) {
      case 'turn.started':
        turn += 1;
        break;
      case 'turn.completed':
        yield { ...at, role: 'agent', content: null, calls: [], usage: openAiUsage(get(event, 'usage')) };
        break;
      case 'turn.failed':
        yield { ...at, role: 'agent', content: null, calls: [], error: failureOf(getObject(event, 'error')) };
        break;
      case 'item.started':
      case 'item.updated':
      case 'item.completed': {
        const item = getObject(event, 'item');
        if (!item || last.get(getString(item, 'id') ?? place) !== index) break;
        const message = messageOf(item, { ...at, pointer: `${place}/item` });
        if (message) yield message;
        break;
      }
    }
  }
}

/** The last event of each item, by its id. */
function lastEvents(events: readonly unknown[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const [index, event] of events.entries()) {
    const id = getString(get(event, 'item'), 'id');
    if (id !== undefined) last.set(id, index);
  }
  return last;
}

function failureOf(error: unknown): string {
  return getString(error, 'message') ?? 'Codex names no reason.';
}

function messageOf(item: JsonObject, at: Pick<ExecutionMessage, 'pointer' | 'turn'>): Message | RecordedEvent | null {
  const { pointer } = at;
  const text = getString(item, 'text') ?? '';
  switch (getString(item, 'type')) {
    case 'agent_message':
      return { ...at, role: 'agent', content: { text, pointer: `${pointer}/text` }, calls: [] };
    case 'reasoning':
      return { ...at, role: 'agent', content: null, calls: [], reasoning: text };
    case 'error':
      return { ...at, role: 'agent', content: null, calls: [], error: failureOf(item) };
    case 'command_execution': {
      const code = getNumber(item, 'exit_code');
      return execution(item, at, 'shell', { command: get(item, 'command') }, 'aggregated_output', code);
    }
    case 'file_change':
      return execution(item, at, 'apply_patch', { changes: getArray(item, 'changes') ?? [] }, null);
    case 'mcp_tool_call': {
      const name = [getString(item, 'server'), getString(item, 'tool')].filter(Boolean).join('__');
      return execution(item, at, name, getObject(item, 'arguments') ?? {}, 'result');
    }
    case 'web_search':
      return execution(item, at, 'web_search', { query: get(item, 'query') }, null);
    case 'todo_list':
      return execution(item, at, 'update_plan', { items: getArray(item, 'items') ?? [] }, null);
    default:
      return null;
  }
}

/** @param result the field with what the tool answered; null where Codex does not print it. */
function execution(
  item: JsonObject,
  at: Pick<ExecutionMessage, 'pointer' | 'turn'>,
  name: string,
  args: JsonObject,
  result: string | null,
  exitCode?: number,
): ExecutionMessage {
  const status = getString(item, 'status');
  const value = result === null ? undefined : get(item, result);
  const error = get(item, 'error');
  const failed =
    status === 'failed' || (exitCode !== undefined && exitCode !== 0) || (error !== undefined && error !== null);
  return {
    ...at,
    role: 'execution',
    name,
    arguments: args,
    ...(value === undefined ? {} : { value, valuePointer: `${at.pointer}/${result}` }),
    outcome: status === 'declined' ? 'rejected' : failed ? 'error' : 'ok',
    ...(failed && error ? { error: getString(error, 'message') ?? asText(error) } : {}),
  };
}
