import type { Document } from '../../core/document.ts';
import { get, getArray, getId, getObject, getString, isObject } from '../../core/json.ts';
import { childPointer } from '../../core/pointer.ts';
import { type NamedValue, outcomeInFields, outcomeOfEnd, outcomeOfGrades } from '../../core/recorded-outcome.ts';
import {
  type ImportedScores,
  joinTags,
  type Pointer,
  type RecordedOutcome,
  type Session,
  type SessionEnding,
  type Tool,
  type Turn,
} from '../../core/session.ts';
import { buildConversation, type Message, type RecordedEvent } from '../chat/messages/conversation.ts';
import { inspectMessage } from '../chat/messages/inspect.ts';
import { endingOfError } from '../ending.ts';
import type { ReadResult } from '../format.ts';
import { withUniqueIds } from '../ids.ts';
import { Problems } from '../problems.ts';
import { definedEntries } from '../values.ts';
import { eventsOf, type SampleEvents } from './inspect-events.ts';

const FORMAT = 'inspect-ai';

/**
 * Reads logs of Inspect AI: each sample is a session and its epoch the attempt. An `.eval` archive has the same JSON.
 */
export function readInspectAi({ file, value }: Document): ReadResult {
  const problems = new Problems(file);
  const sessions = withUniqueIds(sessionsOf(value, file, problems), problems);
  if (sessions.length === 0) {
    const message = 'This log has no samples: it is only a header, or was recorded without samples.';
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
      problems.error('not-a-sample', pointer, 'Cannot read this sample: it has no list of `messages`.');
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
      tags: joinTags([get(spec, 'tags')]),
      tools: events.tools && withProviderTools(events.tools, turns),
      scores: scoresOf(getObject(value, 'scores')),
      outcome: outcomeOf(value, pointer),
      ending: endingOfSample(value, pointer),
      turns: withTarget(turns, value),
    };
  }
}

function warnOfFailure(value: unknown, pointer: Pointer, problems: Problems): void {
  const error = getString(getObject(value, 'error'), 'message');
  const limit = getString(getObject(value, 'limit'), 'type');
  if (error !== undefined) {
    const why = `This sample ended early ("${error.slice(0, 200)}").`;
    problems.warn('run-failed', `${pointer}/error/message`, why);
  } else if (limit !== undefined) {
    const why = `This sample reached its limit: "${limit.slice(0, 200)}".`;
    problems.warn('run-failed', `${pointer}/limit/type`, why);
  }
}

function endingOfSample(sample: unknown, pointer: Pointer): SessionEnding | undefined {
  const limit = getString(getObject(sample, 'limit'), 'type');
  return (
    endingOfError(getString(getObject(sample, 'error'), 'message'), `${pointer}/error/message`) ??
    (limit === undefined
      ? undefined
      : { cause: 'limit', reason: limit.slice(0, 200), pointer: `${pointer}/limit/type` })
  );
}

/** What the scorers say; without a score, that an error or a limit ended the sample. */
function outcomeOf(sample: unknown, pointer: Pointer): RecordedOutcome | undefined {
  const place = `${pointer}/scores`;
  const grades: NamedValue[] = [];
  const scores = getObject(sample, 'scores') ?? {};
  for (const name of Object.keys(scores).sort()) {
    const value = get(scores[name], 'value');
    const scorerPointer = childPointer(place, name, 'value');
    // Parts of an object measure many things; only those named like an outcome are one.
    const parts = isObject(value) ? outcomeInFields(value, scorerPointer) : undefined;
    if (parts) grades.push([name, parts.status === 'unknown' ? value : parts.status, parts.pointer]);
    else if (!isObject(value) && value !== undefined && value !== null) grades.push([name, value, scorerPointer]);
  }
  if (grades.length > 0) return outcomeOfGrades(grades);
  if (getObject(sample, 'error')) return outcomeOfEnd('unknown', 'an error ended the sample', `${pointer}/error`);
  return getObject(sample, 'limit')
    ? outcomeOfEnd('unknown', 'a limit ended the sample', `${pointer}/limit`)
    : undefined;
}

/** Maximum nesting of sub-agents. */
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
      // Delete it, since a history that contains its own call would recurse forever.
      events.subAgents.delete(read.call);
      const { turns } = buildConversation(messagesOf(agent.messages, events, problems, depth + 1), problems);
      const turnsWithTools = turns.map((turn) => ({ ...turn, tools: agent.tools }));
      yield { role: 'sub-agent', pointer: agent.pointer, name: agent.name, turns: turnsWithTools };
    }
  }
}

/** Adds the provider's tools that were called although the program did not offer them. */
function withProviderTools(tools: readonly Tool[], turns: readonly Turn[]): readonly Tool[] {
  const offered = new Set(tools.map(({ name }) => name));
  const provided = new Set<string>();
  for (const step of turns.flatMap(({ steps }) => steps)) {
    if (step.type !== 'tool' || offered.has(step.name)) continue;
    if (IN_CONTENT.test(step.pointer)) provided.add(step.name);
  }
  return [...tools, ...Array.from(provided, (name) => ({ name }))];
}

/** Pointers of calls executed by the provider. */
const IN_CONTENT = /\/content\/\d+$/;

/** Adds the target as the reference of the last turn, unless there are several acceptable targets. */
function withTarget(turns: readonly Turn[], value: unknown): readonly Turn[] {
  const target = get(value, 'target');
  const only: unknown = Array.isArray(target) && target.length === 1 ? target[0] : target;
  if (typeof only !== 'string' || !/\S/.test(only)) return turns;
  return turns.map((turn, index) => (index === turns.length - 1 ? { ...turn, reference: { response: only } } : turn));
}

/** Inspect's grades as the numbers that it uses: correct, incorrect, partial, no answer. */
const GRADES: ReadonlyMap<unknown, number> = new Map([
  ['C', 1],
  ['I', 0],
  ['P', 0.5],
  ['N', 0],
]);

/** Scores by scorer name; parts of an object are named `scorer.part`. */
function scoresOf(scores: unknown): ImportedScores | undefined {
  const results: [string, number | string][] = [];
  for (const [name, score] of isObject(scores) ? Object.entries(scores) : []) {
    const value = get(score, 'value');
    for (const [key, part] of isObject(value) ? Object.entries(value) : [['', value] as const]) {
      const number = numberOf(part);
      if (number !== undefined) results.push([key === '' ? name : `${name}.${key}`, number]);
    }
  }
  return results.length > 0 ? Object.fromEntries(results) : undefined;
}

function numberOf(value: unknown): number | string | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string') return GRADES.get(value) ?? (value === '' ? undefined : value);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
