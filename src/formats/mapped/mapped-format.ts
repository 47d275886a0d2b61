import type { Document } from '../../core/document.ts';
import { asText, isObject } from '../../core/json.ts';
import { outcomeOfValue } from '../../core/recorded-outcome.ts';
import { joinTags, type Pointer, type Session, type Task } from '../../core/session.ts';
import { buildConversation, type Conversation } from '../chat/messages/conversation.ts';
import { parseQuotedJson } from '../chat/messages/dialects.ts';
import type { Format, ReadResult, SyncFormat } from '../format.ts';
import { stemOf, withUniqueIds } from '../ids.ts';
import { FORMATS } from '../index.ts';
import { Problems } from '../problems.ts';
import { mostly } from '../records.ts';
import { toolsOf } from '../tools.ts';
import { definedEntries } from '../values.ts';
import type { Mapping, MappingPaths } from './mapping.ts';
import { messagesOf, rolesOf } from './messages.ts';
import { listEntries, type MappedValue, valuesOf } from './path.ts';
import { PathResolver } from './path-resolver.ts';
import { readTurns } from './turns.ts';

/** All formats, followed by the user's mappings for JSON of other shapes. */
export function formatsWithMappings(mappings: Mapping | readonly Mapping[] = []): readonly Format[] {
  return [...FORMATS, ...[mappings].flat().map(mappedFormat)];
}

/** A format for JSON of any shape, defined by a mapping. */
export function mappedFormat(mapping: Mapping): SyncFormat {
  const { name } = mapping;
  return {
    name,
    title: `Your mapping "${name}"`,
    description: 'what `map` in the configuration says',
    detect: (document) => detectMapping(document, mapping),
    read: (document) => new MappedReader(document, mapping).read(),
  };
}

/** Maximum numbers of sessions, and of entries per session, that detection looks at. */
const SAMPLED_SESSIONS = 10;
const SAMPLED_ENTRIES = 20;

function detectMapping(document: Document, mapping: Mapping): string | null {
  const { what, paths } = listIn(mapping);
  const entries: unknown[] = [];
  for (const session of take(SAMPLED_SESSIONS, sessionsIn(document, mapping, valuesOf))) {
    const places = entriesAt(valuesOf(paths, session));
    entries.push(...Array.from(take(SAMPLED_ENTRIES, places), ({ value }) => value));
  }
  return mostly(entries, entryTest(mapping)) ? `a file with ${what} where the mapping "${mapping.name}" says` : null;
}

function entryTest({ messages, turns }: Mapping): (entry: unknown) => boolean {
  const roles = messages && rolesOf(messages);
  const paths = messages ? [messages.role] : [turns?.input ?? [], turns?.output ?? []];
  return (value) =>
    paths.some((alternatives) => {
      const [match] = take(1, valuesOf(alternatives, { value, pointer: '', isInText: false }));
      if (roles) return typeof match?.value !== 'object' && roles.has(asText(match?.value));
      return typeof match?.value === 'string';
    });
}

/** The list of a session's messages or turns. */
function listIn({ messages, turns }: Mapping): { readonly what: 'messages' | 'turns'; readonly paths: MappingPaths } {
  return messages ? { what: 'messages', paths: messages.path } : { what: 'turns', paths: turns?.path ?? [] };
}

/**
 * The sessions of a file, or their parts. Without a path for sessions, the file is one session if it has the list of
 * messages or turns; otherwise each entry or line is a session.
 *
 * @param values resolves paths.
 */
function* sessionsIn(
  { value }: Document,
  mapping: Mapping,
  values: (paths: MappingPaths, from: MappedValue) => Iterable<MappedValue>,
): Generator<MappedValue, undefined> {
  const root = { value, pointer: '', isInText: false };
  if (mapping.sessions !== undefined) {
    yield* entriesAt(values(mapping.sessions, root));
    return;
  }
  const [list] = mapping.groupBy === undefined ? take(1, valuesOf(listIn(mapping).paths, root)) : [];
  if (list && Array.isArray(value)) yield root;
  else yield* listEntries(root);
}

/** The entries of lists; a value that is not a list is kept as it is. */
function* entriesAt(lists: Iterable<MappedValue>): Generator<MappedValue, undefined> {
  for (const list of lists) for (const entry of listEntries(list)) if (entry.value !== null) yield entry;
}

function* take<T>(count: number, values: Iterable<T>): Generator<T, undefined> {
  let remaining = count;
  for (const value of values) {
    if (remaining === 0) return;
    remaining -= 1;
    yield value;
  }
}

class MappedReader {
  readonly #document: Document;
  readonly #mapping: Mapping;
  readonly #resolver = new PathResolver();
  readonly #problems: Problems;
  /** Pointers of entries that should be sessions. */
  readonly #withoutList: Pointer[] = [];

  constructor(document: Document, mapping: Mapping) {
    this.#document = document;
    this.#mapping = mapping;
    this.#problems = new Problems(document.file);
  }

  read(): ReadResult {
    const sessions = withUniqueIds(this.#sessions(), this.#problems);
    if (sessions.length === 0) this.#reportNoSession();
    else this.#warn();
    return { sessions, problems: this.#problems.list() };
  }

  *#sessions(): Generator<Session> {
    const values = (paths: MappingPaths, from: MappedValue) => this.#resolver.all('sessions', paths, from);
    const groups = new Map<string | MappedValue, MappedValue[]>();
    for (const part of sessionsIn(this.#document, this.#mapping, values)) {
      const key = this.#resolver.id('groupBy', this.#mapping.groupBy, part) ?? part;
      const group = groups.get(key);
      if (group) group.push(part);
      else groups.set(key, [part]);
    }
    let number = 0;
    for (const [key, parts] of groups) {
      number += 1;
      const session = this.#session(parts, typeof key === 'string' ? key : undefined, number);
      if (session) yield session;
    }
  }

  /** `parts` are the session's values in the file, in order. */
  #session(parts: readonly MappedValue[], key: string | undefined, number: number): Session | undefined {
    const { id, goal, system, tools, metadata, outcome, tags } = this.#mapping;
    const resolver = this.#resolver;
    const { what, paths } = listIn(this.#mapping);
    const pointer = parts[0]?.pointer ?? '';
    const lists = parts.flatMap((part) => resolver.all(`${what}.path`, paths, part));
    if (lists.length === 0) {
      this.#withoutList.push(pointer);
      return undefined;
    }
    const of = <Value>(read: (part: MappedValue) => Value | undefined): Value | undefined => {
      for (const part of parts) {
        const value = read(part);
        if (value !== undefined) return value;
      }
      return undefined;
    };
    const { system: ownSystem, systemPointer, turns } = this.#content(entriesAt(lists));
    const mappedSystem = of((part) => resolver.text('system', system, part));
    return {
      id: key ?? of((part) => resolver.id('id', id, part)) ?? this.#fallbackId(pointer, number),
      source: { file: this.#document.file, format: this.#mapping.name, pointer },
      goal: of((part) => resolver.text('goal', goal, part)?.text),
      system: ownSystem ?? mappedSystem?.text,
      systemPointer: ownSystem === undefined ? mappedSystem?.pointer : systemPointer,
      metadata: of((part) => metadataOf(resolver.first('metadata', metadata, part))),
      outcome: of((part) => {
        const place = resolver.first('outcome', outcome, part);
        return place && outcomeOfValue(place.value, 'outcome', place.pointer);
      }),
      task: of((part) => this.#task(part)),
      tags: joinTags(parts.map((part) => resolver.entries('tags', tags, part).map(({ value }) => value))),
      tools: of((part) => toolsOf(parseQuotedJson(resolver.first('tools', tools, part)?.value))),
      turns,
    };
  }

  #content(entries: Iterable<MappedValue>): Conversation {
    const { messages, turns } = this.#mapping;
    if (messages)
      return buildConversation(messagesOf(entries, messages, this.#resolver, this.#problems), this.#problems);
    return {
      system: undefined,
      systemPointer: undefined,
      turns: turns ? readTurns(entries, turns, this.#resolver, this.#problems) : [],
    };
  }

  #task(part: MappedValue): Task | undefined {
    const { task } = this.#mapping;
    const id = this.#resolver.id('task.id', task?.id, part);
    if (id === undefined) return undefined;
    return {
      id,
      trial: this.#resolver.id('task.trial', task?.trial, part),
      dataset: this.#resolver.id('task.dataset', task?.dataset, part),
      agent: this.#resolver.id('task.agent', task?.agent, part),
    };
  }

  #fallbackId(pointer: Pointer, number: number): string {
    const stem = stemOf(this.#document.file);
    if (pointer === '') return stem;
    return /^\/\d+$/.test(pointer) && this.#document.lines
      ? `line-${Number(pointer.slice(1)) + 1}`
      : `${stem}-${number}`;
  }

  #warn(): void {
    const { what } = listIn(this.#mapping);
    for (const pointer of this.#withoutList) {
      this.#problems.warn('not-a-conversation', pointer, `Entry skipped: map.${what}.path finds nothing.`);
    }
    this.#resolver.warn(this.#problems);
  }

  #reportNoSession(): void {
    const { what } = listIn(this.#mapping);
    const { sentence, pointer } = this.#resolver.explain('sessions') ?? this.#resolver.explain(`${what}.path`) ?? {};
    const message = `The mapping "${this.#mapping.name}" finds no session in this file. ${sentence ?? 'The file is empty.'}`;
    this.#problems.error('no-session', pointer ?? '', message);
  }
}

function metadataOf(place: MappedValue | undefined): Session['metadata'] {
  const value = parseQuotedJson(place?.value);
  return isObject(value) ? definedEntries(value) : undefined;
}
