import type { Document } from '../../core/document.ts';
import { get, getArray, getId, getNumber, getObject, getString } from '../../core/json.ts';
import type { Pointer, Session, Tool } from '../../core/session.ts';
import { buildConversation } from '../chat/messages/conversation.ts';
import { isOpenHandsEvent, type LocatedEvent, openHandsMessages } from '../chat/messages/openhands.ts';
import { endingOfError } from '../ending.ts';
import type { SyncFormat } from '../format.ts';
import { stemOf, withUniqueIds } from '../ids.ts';
import { Problems } from '../problems.ts';
import { mostly, records, sample } from '../records.ts';
import { toolsOf } from '../tools.ts';
import { definedEntries } from '../values.ts';
import { resolvedOutcome } from './resolved.ts';

/** Events of OpenHands: a trajectory, or lines of an evaluation's output.jsonl, each with a `history`. */
export const openHands: SyncFormat = {
  name: 'openhands',
  coding: true,
  title: 'OpenHands events',
  description: 'A trajectory of OpenHands, or the output.jsonl of its evaluations',

  detect({ value }) {
    if (Array.isArray(value) && mostly(sample(value), isOpenHandsEvent)) return 'a list of actions and observations';
    return mostly(sample(value), isRun) ? 'a `history` of actions and observations' : null;
  },

  read(document) {
    const problems = new Problems(document.file);
    const sessions = withUniqueIds(sessionsOf(document, problems), problems);
    if (sessions.length === 0) {
      problems.error('no-session', '', 'No run was found in this file: it has no list of actions and observations.');
    }
    return { sessions, problems: problems.list() };
  },
};

/** Keys of a run's events in an evaluation's output and in the server's export. */
const LISTS = ['history', 'trajectory'] as const;

function isRun(value: unknown): boolean {
  const events = eventsIn(value, '', 40);
  return (
    events !== undefined &&
    mostly(
      events.map(([, event]) => event),
      isOpenHandsEvent,
    )
  );
}

function* sessionsOf(document: Document, problems: Problems): Generator<Session> {
  const { file, value } = document;
  const stem = stemOf(file);
  if (Array.isArray(value) && !value.some((item) => eventsIn(item, '', 1) !== undefined)) {
    const events = flattenEvents(value, '', value.length);
    if (events.length > 0) yield sessionOf(undefined, '', events, stem, file, problems);
    return;
  }
  for (const [pointer, run] of records(document)) {
    const events = eventsIn(run, pointer, Number.POSITIVE_INFINITY);
    if (events) yield sessionOf(run, pointer, events, `${stem}${pointer.replace('/', '-')}`, file, problems);
    else problems.error('not-a-run', pointer, 'Cannot read this run: it has no list of events in `history`.');
  }
}

function eventsIn(run: unknown, pointer: Pointer, most: number): readonly LocatedEvent[] | undefined {
  for (const key of LISTS) {
    const list = getArray(run, key);
    if (list) return flattenEvents(list, `${pointer}/${key}`, most);
  }
  return undefined;
}

/** Flattens the pairs of action and observation that older evaluations have. */
function flattenEvents(list: readonly unknown[], pointer: Pointer, most: number): readonly LocatedEvent[] {
  const events: LocatedEvent[] = [];
  for (const [index, entry] of list.slice(0, most).entries()) {
    if (entry === undefined) continue;
    const place = `${pointer}/${index}`;
    if (!Array.isArray(entry)) events.push([place, entry]);
    else for (const [position, event] of entry.entries()) events.push([`${place}/${position}`, event]);
  }
  return events;
}

function sessionOf(
  run: unknown,
  pointer: Pointer,
  events: readonly LocatedEvent[],
  fallbackId: string,
  file: string,
  problems: Problems,
): Session {
  const id = getId(run, 'instance_id');
  const metadata = getObject(run, 'metadata');
  const agent = getString(metadata, 'agent_class');
  const model = getString(getObject(metadata, 'llm_config'), 'model');
  const error = getString(run, 'error') || undefined;
  const outcome = resolvedOutcome(run, pointer);
  if (error !== undefined) {
    const why = `This run ended early ("${error.slice(0, 200)}").`;
    problems.warn('run-failed', `${pointer}/error`, why);
  }
  return {
    id: id ?? fallbackId,
    source: { file, format: openHands.name, pointer },
    metadata: definedEntries({
      agent,
      model,
      cost: getNumber(getObject(run, 'metrics'), 'accumulated_cost'),
      error,
    }),
    task:
      id === undefined
        ? undefined
        : {
            id,
            dataset: getString(metadata, 'dataset'),
            agent: [agent, model].filter(Boolean).join(' ') || undefined,
          },
    tools: toolsIn(events),
    outcome,
    ending: endingOfError(error, `${pointer}/error`),
    scores: outcome && { resolved: outcome.status === 'succeeded' ? 1 : 0 },
    ...buildConversation(openHandsMessages(events, problems), problems),
  };
}

/** The tools in the first event of newer versions. */
function toolsIn(events: readonly LocatedEvent[]): Tool[] | undefined {
  for (const [, event] of events.slice(0, 40)) {
    if (get(event, 'action') === 'system') return toolsOf(get(getObject(event, 'args'), 'tools'));
  }
  return undefined;
}
