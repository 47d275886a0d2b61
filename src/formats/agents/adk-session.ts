import { get, getArray, getString, isObject } from '../../core/json.ts';
import type { Pointer, Session } from '../../core/session.ts';
import { buildConversation, type Message } from '../chat/messages/conversation.ts';
import { geminiContent, geminiUsage } from '../chat/messages/gemini.ts';
import type { SyncFormat } from '../format.ts';
import { stemOf, withUniqueIds } from '../ids.ts';
import { Problems } from '../problems.ts';
import { mostly, records, sample } from '../records.ts';
import { definedEntries, firstPresent, isoFromSeconds } from '../values.ts';

/** A session written by ADK's session services or web interface, with keys in snake or camel case. */
export const adkSession: SyncFormat = {
  name: 'adk-session',
  title: 'Google ADK session',
  description: 'A saved session of the Agent Development Kit (X.session.json)',

  detect({ value }) {
    return mostly(sample(value), isSession) ? 'an ADK session with an app, a user and `events`' : null;
  },

  read(document) {
    const problems = new Problems(document.file);
    const sessions = withUniqueIds(sessionsOf(), problems);
    if (sessions.length === 0) {
      problems.error('no-session', '', 'No ADK session was found in this file: it has no list of `events`.');
    }
    return { sessions, problems: problems.list() };

    function* sessionsOf(): Generator<Session> {
      for (const [pointer, value] of records(document)) {
        const session = sessionOf(value, pointer, document.file, problems);
        if (session) yield session;
        else problems.error('not-a-session', pointer, 'Cannot read this session: it has no list of `events`.');
      }
    }
  },
};

function isSession(value: unknown): boolean {
  const events = getArray(value, 'events');
  return (
    events !== undefined &&
    typeof firstPresent(value, 'app_name', 'appName') === 'string' &&
    typeof firstPresent(value, 'user_id', 'userId') === 'string' &&
    (events.length === 0 || mostly(sample(events), isEvent))
  );
}

function isEvent(value: unknown): boolean {
  return typeof get(value, 'author') === 'string' || Array.isArray(get(get(value, 'content'), 'parts'));
}

function sessionOf(value: unknown, pointer: Pointer, file: string, problems: Problems): Session | undefined {
  const events = getArray(value, 'events');
  if (!events) return undefined;
  const { turns } = buildConversation(messagesOf(events, `${pointer}/events`, problems), problems);
  return {
    id: getString(value, 'id') || `${stemOf(file)}${pointer.replace('/', '-')}`,
    source: { file, format: adkSession.name, pointer },
    metadata: definedEntries({
      app_name: firstPresent(value, 'app_name', 'appName'),
      user_id: firstPresent(value, 'user_id', 'userId'),
      state: get(value, 'state'),
    }),
    turns,
  };
}

/**
 * Groups events by invocation. An invocation is a turn, even if its events are not adjacent; one without content is
 * not.
 */
function* messagesOf(events: readonly unknown[], pointer: Pointer, problems: Problems): Generator<Message, void> {
  for (const indices of invocationsOf(events)) {
    for (const index of indices) {
      const event = events[index];
      const place = `${pointer}/${index}`;
      if (isObject(event)) yield* eventMessages(event, place);
      else problems.warn('not-an-event', place, 'Event skipped: it is not an object.');
    }
  }
}

function invocationsOf(events: readonly unknown[]): Iterable<readonly number[]> {
  const invocations: number[][] = [];
  const byId = new Map<string, number[]>();
  for (const [index, event] of events.entries()) {
    const id = invocationId(event);
    let invocation = id === undefined ? undefined : byId.get(id);
    if (!invocation) {
      invocation = [];
      invocations.push(invocation);
      if (id !== undefined) byId.set(id, invocation);
    }
    invocation.push(index);
  }
  return invocations;
}

function invocationId(event: unknown): string | undefined {
  const id = firstPresent(event, 'invocation_id', 'invocationId');
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function* eventMessages(event: unknown, pointer: Pointer): Generator<Message, void> {
  // Chunks of a stream, which are followed by the complete event.
  if (get(event, 'partial') === true) return;
  const turn = invocationId(event);
  const at = isoFromSeconds(get(event, 'timestamp'));
  const content = geminiContent(get(event, 'content'), `${pointer}/content`);
  for (const response of content.responses) {
    const { id, name, value, valuePointer } = response;
    yield { role: 'result', pointer: response.pointer, call: id, name, value, valuePointer, turn, at };
  }
  const author = getString(event, 'author');
  if (author?.toLowerCase() === 'user') {
    if (content.text) yield { role: 'user', pointer, content: content.text, turn, at };
    return;
  }
  const failure = firstPresent(event, 'error_message', 'errorMessage', 'error_code', 'errorCode');
  const error = typeof failure === 'string' ? failure : undefined;
  if (
    !content.text &&
    content.reasoning === undefined &&
    content.calls.length === 0 &&
    content.code.length === 0 &&
    error === undefined
  )
    return;
  const model = firstPresent(event, 'model_version', 'modelVersion');
  const finishReason = firstPresent(event, 'finish_reason', 'finishReason');
  yield {
    role: 'agent',
    pointer,
    content: content.text,
    reasoning: content.reasoning,
    calls: [...content.calls, ...content.code],
    speaker: author,
    model: typeof model === 'string' ? model : undefined,
    finishReason: typeof finishReason === 'string' ? finishReason : undefined,
    usage: geminiUsage(firstPresent(event, 'usage_metadata', 'usageMetadata')),
    error,
    turn,
    at,
  };
  for (const execution of content.executions) yield { ...execution, turn, at };
}
