import type { AgentMessage, Message, RequestedCall, ResultMessage } from '../chat/messages/conversation.ts';
import type { Problems } from '../problems.ts';
import { readCall, readErrorFlag } from './calls.ts';
import { type MappedRole, type Mapping, ROLES } from './mapping.ts';
import type { MappedValue } from './path.ts';
import type { PathResolver } from './path-resolver.ts';

type MessagesMapping = NonNullable<Mapping['messages']>;

/** Common role names, which need no mapping. */
const DEFAULT_ROLES: readonly (readonly [string, MappedRole])[] = [
  ['user', 'user'],
  ['human', 'user'],
  ['agent', 'agent'],
  ['assistant', 'agent'],
  ['ai', 'agent'],
  ['model', 'agent'],
  ['system', 'system'],
  ['developer', 'system'],
  ['tool', 'tool'],
  ['function', 'tool'],
];

export function rolesOf({ roles = {} }: MessagesMapping): ReadonlyMap<string, MappedRole> {
  return new Map([...DEFAULT_ROLES, ...Object.entries(roles)]);
}

/** Reads the entries of a log as messages. */
export function* messagesOf(
  entries: Iterable<MappedValue>,
  mapping: MessagesMapping,
  resolver: PathResolver,
  problems: Problems,
): Generator<Message, void> {
  const roles = rolesOf(mapping);
  const unknownRoles = new UnknownRoles();
  let answer: MappedAnswer | null = null;
  for (const entry of entries) {
    const name = resolver.id('messages.role', mapping.role, entry);
    const role = roles.get(name ?? '');
    if (role === undefined) unknownRoles.add(name, entry);
    if (role === undefined || role === 'ignore') continue;
    if (role === 'call') {
      answer ??= new MappedAnswer({ role: 'agent', pointer: entry.pointer, content: null });
      answer.add(entry, mapping, resolver, problems);
      continue;
    }
    if (answer) yield* answer.messages();
    answer = null;
    if (role === 'tool') {
      yield readResult(entry, mapping, resolver);
      continue;
    }
    const content = resolver.text('messages.text', mapping.text, entry);
    const at = resolver.time('messages.time', mapping.time, entry);
    const { pointer } = entry;
    if (role === 'user') yield { role, pointer, content, at };
    if (role === 'system' && content) yield { role, pointer, content };
    if (role === 'agent') {
      answer = new MappedAnswer({ role, pointer, content, at });
      const { calls } = mapping;
      if (calls?.path === undefined) continue;
      for (const call of resolver.entries('messages.calls.path', calls.path, entry)) {
        answer.add(call, mapping, resolver, problems);
      }
    }
  }
  if (answer) yield* answer.messages();
  unknownRoles.warn(problems);
}

/** An agent message with its calls. Calls in entries of their own belong to the agent message before them. */
class MappedAnswer {
  readonly #message: Omit<AgentMessage, 'calls'>;
  readonly #calls: RequestedCall[] = [];
  /** Results that are part of a call's entry. */
  readonly #results: ResultMessage[] = [];

  constructor(message: Omit<AgentMessage, 'calls'>) {
    this.#message = message;
  }

  add(entry: MappedValue, { calls }: MessagesMapping, resolver: PathResolver, problems: Problems): void {
    const step = calls && readCall(entry, calls, 'messages.calls', resolver, problems);
    if (!step) return;
    const { pointer, name, resultPointer: valuePointer, startedAt: at, endedAt } = step;
    // A call without an id gets its pointer as id, to keep it together with its own result.
    const id = step.id ?? (valuePointer === undefined ? undefined : pointer);
    this.#calls.push({ pointer, id, name, arguments: step.arguments, at });
    if (valuePointer === undefined || step.outcome === 'missing') return;
    const { result: value, outcome, error } = step;
    const resultOutcome = outcome === 'error' ? outcome : 'ok';
    this.#results.push({
      role: 'result',
      pointer,
      call: id,
      value,
      valuePointer,
      outcome: resultOutcome,
      error,
      at: endedAt,
    });
  }

  *messages(): Generator<Message, void> {
    yield { ...this.#message, calls: this.#calls };
    yield* this.#results;
  }
}

function readResult(
  entry: MappedValue,
  { text, time, result }: MessagesMapping,
  resolver: PathResolver,
): ResultMessage {
  const value = result?.value === undefined ? undefined : resolver.first('messages.result.value', result.value, entry);
  const content = value === undefined ? resolver.text('messages.text', text, entry) : null;
  const flag = readErrorFlag('messages.result.error', result?.error, entry, resolver);
  return {
    role: 'result',
    pointer: entry.pointer,
    call: resolver.id('messages.result.call', result?.call, entry),
    name: resolver.id('messages.result.name', result?.name, entry),
    value: value === undefined ? content?.text : value.value,
    valuePointer: (value ?? content ?? flag?.entry ?? entry).pointer,
    outcome: flag?.outcome,
    error: flag?.error,
    at: resolver.time('messages.time', time, entry),
  };
}

/** Entries with an unknown role. */
class UnknownRoles {
  readonly #roles = new Map<string | undefined, { readonly entry: MappedValue; count: number }>();

  add(role: string | undefined, entry: MappedValue): void {
    const known = this.#roles.get(role);
    if (known) known.count += 1;
    else this.#roles.set(role, { entry, count: 1 });
  }

  /** Adds one warning per role. */
  warn(problems: Problems): void {
    for (const [role, { entry, count }] of this.#roles) {
      const entries = count === 1 ? 'One entry is' : `${count} entries are`;
      const message =
        role === undefined
          ? `${entries} skipped: map.messages.role finds no role name there.`
          : `${entries} skipped: map.messages.roles has no entry for "${role.slice(0, 80)}". Map it to one of ${ROLES.join(', ')}.`;
      problems.warn('unknown-role', entry.pointer, message);
    }
  }
}
