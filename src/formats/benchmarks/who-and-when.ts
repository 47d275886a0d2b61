import type { Document } from '../../core/document.ts';
import { get, getArray, getId, getString } from '../../core/json.ts';
import { outcomeOfGrade } from '../../core/recorded-outcome.ts';
import type { Pointer, Session } from '../../core/session.ts';
import { ag2Messages } from '../chat/messages/ag2.ts';
import { buildConversation, type Message } from '../chat/messages/conversation.ts';
import { isMagenticOne, magenticOneMessages } from '../chat/messages/magentic-one.ts';
import type { ReadResult } from '../format.ts';
import { stemOf, withUniqueIds } from '../ids.ts';
import { Problems } from '../problems.ts';
import { records, sample } from '../records.ts';
import { definedEntries } from '../values.ts';

const FORMAT = 'who-and-when';

/** Reads Who&When: failed runs of agent teams, labelled with the agent and step of the decisive mistake. */
export function readWhoAndWhen(document: Document): ReadResult {
  const problems = new Problems(document.file);
  const sessions = withUniqueIds(sessionsOf(), problems);
  if (sessions.length === 0) {
    problems.error('no-session', '', 'No run was found in this file: it has no list of messages in `history`.');
  }
  return { sessions, problems: problems.list() };

  function* sessionsOf(): Generator<Session> {
    for (const [pointer, run] of records(document)) {
      const session = sessionOf(run, pointer, document.file, problems);
      if (session) yield session;
      else problems.error('not-a-run', pointer, 'Cannot read this run: it has no list of messages in `history`.');
    }
  }
}

function sessionOf(run: unknown, pointer: Pointer, file: string, problems: Problems): Session | undefined {
  const history = getArray(run, 'history');
  if (!history) return undefined;
  const question = getString(run, 'question');
  const truth = getString(run, 'ground_truth');
  const { system, turns } = buildConversation(messagesOf(run, history, pointer, problems), problems);
  return {
    id: getId(run, 'question_ID') || `${stemOf(file)}${pointer.replace('/', '-')}`,
    source: { file, format: FORMAT, pointer },
    goal: question,
    system,
    // The labels are metadata, for comparison only; no metric may read them.
    metadata: definedEntries({
      level: getId(run, 'level'),
      is_correct: get(run, 'is_correct') ?? get(run, 'is_corrected'),
      mistake_agent: getString(run, 'mistake_agent'),
      mistake_step: getId(run, 'mistake_step'),
      mistake_reason: getString(run, 'mistake_reason'),
    }),
    outcome:
      outcomeOfGrade(get(run, 'is_correct'), 'is_correct', `${pointer}/is_correct`) ??
      outcomeOfGrade(get(run, 'is_corrected'), 'is_corrected', `${pointer}/is_corrected`),
    turns:
      truth === undefined
        ? turns
        : turns.map((turn, index) => (index === turns.length - 1 ? { ...turn, reference: { response: truth } } : turn)),
  };
}

/**
 * Half of the runs are logs of Magentic-One. The others are AG2 logs without the user: their first message is an
 * agent's with a manager's plan, so the question is used as the user's message.
 */
function* messagesOf(
  run: unknown,
  history: readonly unknown[],
  pointer: Pointer,
  problems: Problems,
): Generator<Message, void> {
  const list = `${pointer}/history`;
  if (isMagenticOne(sample(history))) {
    yield* magenticOneMessages(history, list, problems);
    return;
  }
  const question = getString(run, 'question');
  const place = `${pointer}/question`;
  if (question !== undefined) yield { role: 'user', pointer: place, content: { text: question, pointer: place } };
  yield* ag2Messages(history, list, problems, { opensWithTask: question === undefined });
}
