import type { Document } from '../../core/document.ts';
import { get, getArray, getId } from '../../core/json.ts';
import { createProblem, type Problem } from '../../core/problem.ts';
import type { SyncFormat } from '../format.ts';
import { mostly, records, sample } from '../records.ts';
import { isoTime } from '../values.ts';
import { chatFormat, type MessageList, messageListIn } from './chat-format.ts';
import { isLangChain, langChainMessages } from './messages/langchain.ts';
import { isOpenAi } from './messages/openai.ts';

const chat = chatFormat({
  name: 'langchain',
  title: 'LangChain messages',
  description: 'Messages of LangChain, or states of LangGraph threads, in any of their serialisations',
  dialect: { fits: isLangChain, read: langChainMessages },
  messageNoun: 'LangChain messages',
  listOf: (value) => messageListIn(value) ?? stateOf(value),
  idOf: threadOf,
});

/** LangChain messages: a list, a request, the state of a LangGraph thread, or its history of states. */
export const langChain: SyncFormat = {
  ...chat,

  detect(document) {
    const isState = mostly(sample(document.value), isThreadState);
    return isState ? 'a state of a LangGraph thread, with `values.messages`' : chat.detect(document);
  },

  read(document) {
    const { latest, problems } = latestStates(document);
    const reading = chat.read(latest);
    return { ...reading, problems: [...reading.problems, ...problems] };
  },
};

/** The state of a thread from a server, `getState` or a checkpointer. */
function stateOf(value: unknown): MessageList | undefined {
  for (const key of ['values', 'channel_values'] as const) {
    const messages = getArray(get(value, key), 'messages');
    if (messages) return { messages, pointer: `/${key}/messages` };
  }
  return undefined;
}

/** A state is detected by its structure; its messages may be OpenAI's. */
function isThreadState(value: unknown): boolean {
  const messages = sample(stateOf(value)?.messages, 40);
  return isLangChain(messages) || isOpenAi(messages);
}

function threadOf(value: unknown): string | undefined {
  const places = [
    value,
    get(value, 'metadata'),
    get(value, 'checkpoint'),
    get(get(value, 'config'), 'configurable'),
    get(value, 'configurable'),
  ];
  for (const key of ['thread_id', 'session_id', 'conversation_id'] as const) {
    for (const place of places) {
      const id = getId(place, key);
      if (id) return id;
    }
  }
  return undefined;
}

/** Keeps the latest state of each thread. A history has one state per step, and the latest has all messages. */
function latestStates(document: Document): { latest: Document; problems: readonly Problem[] } {
  const { file, value } = document;
  if (!Array.isArray(value)) return { latest: document, problems: [] };
  const latestOf = new Map<string, number>();
  const earlier = new Set<number>();
  for (const [pointer, state] of records(document)) {
    const thread = stateOf(state) && threadOf(state);
    if (thread === undefined) continue;
    const index = Number(pointer.slice(1));
    const other = latestOf.get(thread);
    if (other !== undefined && !isLater(state, value[other])) {
      earlier.add(index);
      continue;
    }
    if (other !== undefined) earlier.add(other);
    latestOf.set(thread, index);
  }
  if (earlier.size === 0) return { latest: document, problems: [] };
  const message = `Skipped ${earlier.size} earlier states of the same threads: the latest state has their messages.`;
  return {
    latest: { ...document, value: value.map((state, index) => (earlier.has(index) ? undefined : state)) },
    problems: [createProblem('warning', 'earlier-state', file, message)],
  };
}

function isLater(state: unknown, other: unknown): boolean {
  const [a, b] = [isoTime(get(state, 'created_at')), isoTime(get(other, 'created_at'))];
  if (a !== undefined && b !== undefined && a !== b) return Date.parse(a) > Date.parse(b);
  return messagesOf(state) > messagesOf(other);
}

function messagesOf(state: unknown): number {
  return stateOf(state)?.messages.length ?? 0;
}
