import type { AgentMessage, Message, RequestedCall, ResultMessage } from '../chat/messages/conversation.ts';
import type { Problems } from '../problems.ts';
import { readCall, readErrorFlag } from './calls.ts';
import { type MappedRole, type Mapping, ROLES } from './mapping.ts';
import type { MappedValue } from './path.ts';
import type { PathResolver } from './path-resolver.ts';

type MessagesMapping = NonNullable<Mapping['messages']>;

/** Names of roles that need no telling. */
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

/** The entries of a log as messages. */
export function* messagesOf(
  places: Iterable<MappedValue>,
  mapping: MessagesMapping,
  follow: PathResolver,
  problems: Problems,
): Generator<Message, void> {
  const roles = rolesOf(mapping);
  const strangers = new UnknownRoles();
  let answer: MappedAnswer | null = null;
  for (const place of places) {
    const name = follow.id('messages.role', mapping.role, place);
    const role = roles.get(name ?? '');
    if (role === undefined) strangers.add(name, place);
    if (role === undefined || role === 'ignore') continue;
    if (role === 'call') {
      answer ??= new MappedAnswer({ role: 'agent', pointer: place.pointer, content: null });
      answer.add(place, mapping, follow, problems);
      continue;
    }
    if (answer) yield* answer.messages();
    answer = null;
    if (role === 'tool') {
      yield readResult(place, mapping, follow);
      continue;
    }
    const content = follow.text('messages.text', mapping.text, place);
    const at = follow.time('messages.time', mapping.time, place);
    const { pointer } = place;
    if (role === 'user') yield { role, pointer, content, at };
    if (role === 'system' && content) yield { role, pointer, content };
    if (role === 'agent') {
      answer = new MappedAnswer({ role, pointer, content, at });
      const { calls } = mapping;
      if (calls?.path === undefined) continue;
      for (const call of follow.entries('messages.calls.path', calls.path, place)) {
        answer.add(call, mapping, follow, problems);
      }
    }
  }
  if (answer) yield* answer.messages();
  strangers.warn(problems);
}

/** What the agent said, and its calls: those that are entries of their own belong to what it said just before. */
class MappedAnswer {
  readonly #message: Omit<AgentMessage, 'calls'>;
  readonly #calls: RequestedCall[] = [];
  /** Of calls that come with their results. */
  readonly #results: ResultMessage[] = [];

  constructor(message: Omit<AgentMessage, 'calls'>) {
    this.#message = message;
  }

  add(place: MappedValue, { calls }: MessagesMapping, follow: PathResolver, problems: Problems): void {
    const step = calls && readCall(place, calls, 'messages.calls', follow, problems);
    if (!step) return;
    const { pointer, name, resultPointer: valuePointer, startedAt: at, endedAt } = step;
    // Without an id of its own, a call and the result that stands in it would not surely be united.
    const id = step.id ?? (valuePointer === undefined ? undefined : pointer);
    this.#calls.push({ pointer, id, name, arguments: step.arguments, at });
    if (valuePointer === undefined || step.outcome === 'missing') return;
    const { result: value, outcome, error } = step;
    const told = outcome === 'error' ? outcome : 'ok';
    this.#results.push({ role: 'result', pointer, call: id, value, valuePointer, outcome: told, error, at: endedAt });
  }

  *messages(): Generator<Message, void> {
    yield { ...this.#message, calls: this.#calls };
    yield* this.#results;
  }
}

function readResult(place: MappedValue, { text, time, result }: MessagesMapping, follow: PathResolver): ResultMessage {
  const value = result?.value === undefined ? undefined : follow.first('messages.result.value', result.value, place);
  const said = value === undefined ? follow.text('messages.text', text, place) : null;
  const flag = readErrorFlag('messages.result.error', result?.error, place, follow);
  return {
    role: 'result',
    pointer: place.pointer,
    call: follow.id('messages.result.call', result?.call, place),
    name: follow.id('messages.result.name', result?.name, place),
    value: value === undefined ? said?.text : value.value,
    valuePointer: (value ?? said ?? flag?.place ?? place).pointer,
    outcome: flag?.outcome,
    error: flag?.error,
    at: follow.time('messages.time', time, place),
  };
}

/** Entries whose role the mapping does not know. */
class UnknownRoles {
  readonly #roles = new Map<string | undefined, { readonly place: MappedValue; count: number }>();

  add(role: string | undefined, place: MappedValue): void {
    const known = this.#roles.get(role);
    if (known) known.count += 1;
    else this.#roles.set(role, { place, count: 1 });
  }

  /** One sentence for each role. */
  warn(problems: Problems): void {
    for (const [role, { place, count }] of this.#roles) {
      const entries = count === 1 ? 'One entry is' : `${count} entries are`;
      const message =
        role === undefined
          ? `${entries} left out: map.messages.role leads to no name of a role there.`
          : `${entries} left out: map.messages.roles does not say what "${role.slice(0, 80)}" is. Say one of ${ROLES.join(', ')}.`;
      problems.warn('unknown-role', place.pointer, message);
    }
  }
}
