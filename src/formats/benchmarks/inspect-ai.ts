import type { Document } from '../../core/document.ts';
import { get, getArray, getId, getObject, getString, isObject } from '../../core/json.ts';
import type { ImportedScores, Pointer, Session, Tool, Turn } from '../../core/session.ts';
import { buildConversation, type Message, type RecordedEvent } from '../chat/messages/conversation.ts';
import { inspectMessage } from '../chat/messages/inspect.ts';
import type { ReadResult } from '../format.ts';
import { Problems } from '../problems.ts';
import { withUniqueIds } from '../unique-ids.ts';
import { definedEntries } from '../values.ts';
import { eventsOf, type SampleEvents } from './inspect-events.ts';

const FORMAT = 'inspect-ai';

/** Logs of Inspect AI: each sample is a session, its epoch the trial. An `.eval` archive is read as the same JSON. */
export function readInspectAi({ file, value }: Document): ReadResult {
  const problems = new Problems(file);
  const sessions = withUniqueIds(sessionsOf(value, file, problems), problems);
  if (sessions.length === 0) {
    const message = 'This log holds no samples: it is only a header, or was recorded without them.';
    problems.error('no-session', '', message);
  }
  return { sessions, problems: problems.list() };
}

function* sessionsOf(log: unknown, file: string, problems: Problems): Generator<Session> {
  const spec = getObject(log, 'eval');
  for (const [index, value] of (getArray(log, 'samples') ?? []).entries()) {
    const pointer = `/samples/${index}`;
    const messages = getArray(value, 'messages');
    if (!messages) {
      problems.error('not-a-sample', pointer, 'This sample is lost: it has no list of `messages`.');
      continue;
    }
    warnOfFailure(value, pointer, problems);
    const events = eventsOf(value, pointer);
    const placed = messages.map((message, position) => [`${pointer}/messages/${position}`, message] as const);
    const { system, systemPointer, turns } = buildConversation(messagesOf(placed, events, problems), problems);
    const id = getId(value, 'id') ?? String(index + 1);
    const epoch = getId(value, 'epoch');
    const task = getString(spec, 'task');
    const limit = getObject(value, 'limit');
    yield {
      id: [task, id, ...(epoch === undefined ? [] : [`epoch-${epoch}`])].filter(Boolean).join('-'),
      source: { file, format: FORMAT, pointer },
      system,
      systemPointer,
      metadata: definedEntries({
        ...getObject(value, 'metadata'),
        model: getString(spec, 'model'),
        solver: getString(spec, 'solver'),
        limit: getString(limit, 'type'),
        error: getString(getObject(value, 'error'), 'message'),
      }),
      task: { id, trial: epoch, dataset: task, agent: getString(spec, 'model') },
      tools: events.tools && withProviderTools(events.tools, turns),
      scores: scoresOf(getObject(value, 'scores')),
      turns: withTarget(turns, value),
    };
  }
}

function warnOfFailure(value: unknown, pointer: Pointer, problems: Problems): void {
  const error = getString(getObject(value, 'error'), 'message');
  const limit = getString(getObject(value, 'limit'), 'type');
  if (error !== undefined) {
    const why = `This sample broke off before its end ("${error.slice(0, 200)}").`;
    problems.warn('run-failed', `${pointer}/error/message`, why);
  } else if (limit !== undefined) {
    const why = `This sample was ended by its limit of "${limit.slice(0, 200)}".`;
    problems.warn('run-failed', `${pointer}/limit/type`, why);
  }
}

/** Agents that call agents that call agents … */
const MAX_DEPTH = 20;

function* messagesOf(
  messages: Iterable<readonly [Pointer, unknown]>,
  events: SampleEvents,
  problems: Problems,
  depth = 0,
): Generator<Message | RecordedEvent> {
  for (const [pointer, message] of messages) {
    for (const read of inspectMessage(message, pointer, events, problems)) {
      yield read;
      if (read.role !== 'result' || read.call === undefined || depth >= MAX_DEPTH) continue;
      const agent = events.subAgents.get(read.call);
      if (!agent) continue;
      // Once: a history that names its own call must not lead in a circle.
      events.subAgents.delete(read.call);
      const { turns } = buildConversation(messagesOf(agent.messages, events, problems, depth + 1), problems);
      const equipped = turns.map((turn) => ({ ...turn, tools: agent.tools }));
      yield { role: 'sub-agent', pointer: agent.pointer, name: agent.name, turns: equipped };
    }
  }
}

/** What the model's provider ran was there, also where the program did not offer it. */
function withProviderTools(tools: readonly Tool[], turns: readonly Turn[]): readonly Tool[] {
  const offered = new Set(tools.map(({ name }) => name));
  const provided = new Set<string>();
  for (const step of turns.flatMap(({ steps }) => steps)) {
    if (step.type !== 'tool' || offered.has(step.name)) continue;
    if (IN_CONTENT.test(step.pointer)) provided.add(step.name);
  }
  return [...tools, ...Array.from(provided, (name) => ({ name }))];
}

/** Where the calls stand that a provider ran. */
const IN_CONTENT = /\/content\/\d+$/;

/** The target is what the last answer should have been. Several acceptable ones are no single response. */
function withTarget(turns: readonly Turn[], value: unknown): readonly Turn[] {
  const target = get(value, 'target');
  const only: unknown = Array.isArray(target) && target.length === 1 ? target[0] : target;
  if (typeof only !== 'string' || !/\S/.test(only)) return turns;
  return turns.map((turn, index) => (index === turns.length - 1 ? { ...turn, reference: { response: only } } : turn));
}

/** Inspect's own letters as the numbers that it counts them as: correct, incorrect, partial, no answer. */
const GRADES: ReadonlyMap<unknown, number> = new Map([
  ['C', 1],
  ['I', 0],
  ['P', 0.5],
  ['N', 0],
]);

/** By the names of the scorers; the parts of a value that is an object are named `scorer.part`. */
function scoresOf(scores: unknown): ImportedScores | undefined {
  const found: [string, number | string][] = [];
  for (const [name, score] of isObject(scores) ? Object.entries(scores) : []) {
    const value = get(score, 'value');
    for (const [key, part] of isObject(value) ? Object.entries(value) : [['', value] as const]) {
      const number = numberOf(part);
      if (number !== undefined) found.push([key === '' ? name : `${name}.${key}`, number]);
    }
  }
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

function numberOf(value: unknown): number | string | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string') return GRADES.get(value) ?? (value === '' ? undefined : value);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
