import type { Document } from '../../core/document.ts';
import { get, getArray, getId, getObject, getString } from '../../core/json.ts';
import { outcomeInFields } from '../../core/recorded-outcome.ts';
import type { Pointer, Session } from '../../core/session.ts';
import { endingOfError } from '../ending.ts';
import type { PartReader, SyncFormat } from '../format.ts';
import { stemOf, UniqueIds, withUniqueIds } from '../ids.ts';
import { Problems } from '../problems.ts';
import { mostly, records, sample } from '../records.ts';
import { toolsOf } from '../tools.ts';
import { definedEntries } from '../values.ts';
import { type AgentMessage, buildConversation, type Message, type RecordedEvent } from './messages/conversation.ts';
import { type ChatDialect, parseChat } from './messages/dialects.ts';
import { supersededRecords } from './superseded-records.ts';

/** A conversation's list of messages, with the pointer to it. */
export interface MessageList {
  readonly messages: readonly unknown[];
  readonly pointer: Pointer;
  /** The model's answer, if it is elsewhere, and the details of its response. */
  readonly answer?: { readonly message: unknown; readonly pointer: Pointer; readonly details?: AnswerDetails };
}

export type AnswerDetails = Partial<Pick<AgentMessage, 'model' | 'finishReason' | 'usage'>>;

export interface ChatFormat {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly dialect: {
    readonly fits: ChatDialect['fits'];
    readonly read: (...list: Parameters<ChatDialect['read']>) => Iterable<Message | RecordedEvent>;
  };
  /** The name of its messages, in the plural. */
  readonly messageNoun: string;
  /** Finds a conversation's messages; undefined if the value is not a conversation. */
  readonly listOf?: (value: unknown) => MessageList | undefined;
  /** The id of a conversation, if it is not in `id`. */
  readonly idOf?: (value: unknown) => string | undefined;
  /** Other properties of a conversation, if they differ from OpenAI's requests. */
  readonly extras?: (
    value: unknown,
    pointer: Pointer,
  ) => Partial<Pick<Session, 'system' | 'metadata' | 'tools' | 'ending'>>;
}

/**
 * Defines a format for messages of one dialect: a list of messages, one message per line, an object with such a list
 * (for example a request body), and lists or lines of those.
 */
export function chatFormat(options: ChatFormat): SyncFormat {
  const {
    name,
    title,
    description,
    dialect,
    messageNoun: noun,
    listOf = messageListIn,
    idOf,
    extras: extrasOf,
  } = options;
  const isMessageList = (value: unknown) => Array.isArray(value) && dialect.fits(sample(value));
  const isConversation = (value: unknown) => {
    const list = listOf(value);
    if (
      !list ||
      KEYS_OF_OTHER_FORMATS.some((key) => get(value, key) !== undefined && !list.pointer.startsWith(`/${key}/`))
    ) {
      return false;
    }
    // A few messages of each conversation are enough for detection.
    const answer = list.answer ? [list.answer.message] : [];
    return isMessageList([...list.messages.slice(0, 40), ...answer]);
  };

  function* messagesOf(
    list: MessageList,
    pointer: Pointer,
    problems: Problems,
  ): Generator<Message | RecordedEvent, void> {
    yield* dialect.read(list.messages, pointer + list.pointer, problems);
    if (!list.answer) return;
    const { message: answer, pointer: place, details } = list.answer;
    for (const message of parseChat(answer, pointer + place, problems)?.messages ?? []) {
      yield message.role === 'agent' ? { ...message, ...details } : message;
    }
  }

  function isList(value: unknown): boolean {
    return Array.isArray(value) && mostly(sample(value), (entry) => listOf(entry) !== undefined);
  }

  function* sessionsOf(document: Document, problems: Problems): Generator<Session> {
    const { file, value } = document;
    const stem = stemOf(file);
    // What the first part is, all parts are.
    if (document.firstLine === undefined && !isList(value)) {
      const session = sessionOf(value, '', stem, file, problems);
      if (session) yield session;
      return;
    }
    const continued = supersededRecords(listsOf(document));
    if (continued.size > 0) {
      const message = `Skipped ${continued.size} records that later records repeat and continue.`;
      problems.warn('continued-call', '', message);
    }
    for (const [pointer, record] of records(document)) {
      if (continued.has(pointer)) continue;
      const number = Number(pointer.slice(1)) + 1;
      const id = document.lines ? `line-${number}` : `${stem}-${number}`;
      const session = sessionOf(record, pointer, id, file, problems);
      if (session) yield session;
      else problems.warn('not-a-conversation', pointer, `Entry skipped: it has no list of ${noun}.`);
    }
  }

  function partReader(file: string): PartReader {
    const problems = new Problems(file);
    const ids = new UniqueIds();
    let isEmpty = true;
    return {
      read(part) {
        const sessions = withUniqueIds(sessionsOf(part, problems), problems, ids);
        isEmpty &&= sessions.length === 0;
        return sessions;
      },
      problems() {
        if (isEmpty)
          problems.error('no-session', '', `No conversation was found in this file: it has no list of ${noun}.`);
        return problems.list();
      },
    };
  }

  function* listsOf(document: Document): Generator<readonly [Pointer, MessageList]> {
    for (const [pointer, record] of records(document)) {
      const list = listOf(record);
      if (list) yield [pointer, list];
    }
  }

  function sessionOf(
    value: unknown,
    pointer: Pointer,
    fallbackId: string,
    file: string,
    problems: Problems,
  ): Session | undefined {
    const list = listOf(value);
    if (!list) return undefined;
    const { system, systemPointer, turns } = buildConversation(messagesOf(list, pointer, problems), problems);
    const extras = extrasOf?.(value, pointer);
    // `success` beside messages may be that of the request that fetched them.
    return {
      id:
        getId(value, 'id') ||
        getId(value, 'session_id') ||
        getId(value, 'conversation_id') ||
        idOf?.(value) ||
        fallbackId,
      source: { file, format: name, pointer },
      system: system ?? getString(value, 'system') ?? extras?.system,
      systemPointer: systemPointer ?? (get(value, 'system') === undefined ? undefined : `${pointer}/system`),
      metadata: definedEntries({
        ...getObject(value, 'metadata'),
        model: getString(value, 'model'),
        ...extras?.metadata,
      }),
      outcome: outcomeInFields(value, pointer, (field) => field !== 'success'),
      ending: endingOfError(getString(value, 'error'), `${pointer}/error`) ?? extras?.ending,
      tools: extras?.tools ?? toolsOf(get(value, 'tools') ?? get(value, 'functions')),
      turns,
    };
  }

  return {
    name,
    title,
    description,

    detect({ value, lines }) {
      if (!Array.isArray(value)) return isConversation(value) ? `an object with a list of ${noun}` : null;
      if (isMessageList(value)) return lines ? `a list of ${noun}, one on every line` : `a list of ${noun}`;
      if (!mostly(sample(value), isConversation)) return null;
      return lines ? `a list of ${noun} on every line` : `a list of conversations in ${noun}`;
    },

    read(document) {
      const reader = partReader(document.file);
      const sessions = reader.read(document);
      return { sessions, problems: reader.problems() };
    },

    readParts(first) {
      // Records with an answer are calls of a log, which later ones repeat; other formats have no answers.
      return options.listOf || !isList(first.value) ? null : partReader(first.file);
    },
  };
}

/** Keys of a conversation's messages. */
const MESSAGE_LIST_KEYS = ['messages', 'conversation', 'history'] as const;

/** Keys of other formats that contain such messages. */
const KEYS_OF_OTHER_FORMATS = [
  'trajectory_format',
  'trajectory',
  'mistake_step',
  'simulations',
  'values',
  'spans',
] as const;

/** Types of events in AutoGen's log that repeat the messages so far and are not conversations. */
const EVENT_TYPES: ReadonlySet<unknown> = new Set(['LLMCall', 'LLMStreamStart']);

/** Finds the messages of an object with a list, or of a list. */
export function messageListIn(value: unknown): MessageList | undefined {
  if (Array.isArray(value)) return { messages: value, pointer: '' };
  if (EVENT_TYPES.has(get(value, 'type'))) return undefined;
  const key = MESSAGE_LIST_KEYS.find((candidate) => getArray(value, candidate) !== undefined);
  const messages = key && getArray(value, key);
  return messages && { messages, pointer: `/${key}` };
}
