import type { Document } from '../../core/document.ts';
import { get, getArray, getId, getNumber, getObject, getString, isObject } from '../../core/json.ts';
import { outcomeOfReward } from '../../core/recorded-outcome.ts';
import type { ExpectedCall, Pointer, Session } from '../../core/session.ts';
import { buildConversation } from '../chat/messages/conversation.ts';
import { openAiMessages } from '../chat/messages/openai.ts';
import { endingOfError } from '../ending.ts';
import type { ReadResult } from '../format.ts';
import { withUniqueIds } from '../ids.ts';
import { Problems } from '../problems.ts';
import { records } from '../records.ts';
import { definedEntries } from '../values.ts';

const FORMAT = 'tau-bench';

/** Reads results of tau-bench: a list of runs, each with its chat, its reward and the expected actions of its task. */
export function readTauBench(document: Document): ReadResult {
  const problems = new Problems(document.file);
  const sessions = withUniqueIds(sessionsOf(), problems);
  if (sessions.length === 0) {
    problems.error('no-session', '', 'No runs were found in this file: it is not a list of {task_id, reward, traj}.');
  }
  return { sessions, problems: problems.list() };

  function* sessionsOf(): Generator<Session> {
    for (const [pointer, run] of records(document)) {
      const session = sessionOf(run, pointer, document.file, problems);
      if (session) yield session;
      else problems.error('not-a-run', pointer, 'Cannot read this run: it has no list of messages in `traj`.');
    }
  }
}

function sessionOf(run: unknown, pointer: Pointer, file: string, problems: Problems): Session | undefined {
  const messages = getArray(run, 'traj');
  if (!messages) return undefined;
  const taskId = getId(run, 'task_id');
  const trial = getId(run, 'trial');
  const info = getObject(run, 'info');
  const task = getObject(info, 'task');
  const reward = getNumber(run, 'reward');
  const failure = getString(info, 'error');
  if (failure !== undefined) {
    problems.warn('run-failed', `${pointer}/info/error`, `This run ended early ("${failure.slice(0, 200)}").`);
  }
  return {
    id: [`task-${taskId ?? pointer.slice(1)}`, ...(trial === undefined ? [] : [`trial-${trial}`])].join('-'),
    source: { file, format: FORMAT, pointer },
    goal: getString(task, 'instruction'),
    metadata: definedEntries({
      user_id: getString(task, 'user_id'),
      outputs: getArray(task, 'outputs'),
      error: failure,
    }),
    task: taskId === undefined ? undefined : { id: taskId, trial },
    reference: task && { toolCalls: expectedCalls(getArray(task, 'actions') ?? []) },
    scores: reward === undefined ? undefined : { reward },
    outcome: outcomeOfReward(get(run, 'reward'), 'reward', `${pointer}/reward`),
    ending: endingOfError(failure, `${pointer}/info/error`),
    ...buildConversation(openAiMessages(messages, `${pointer}/traj`, problems), problems),
  };
}

function expectedCalls(actions: readonly unknown[]): ExpectedCall[] {
  return actions.flatMap((action) => {
    const name = getString(action, 'name');
    const kwargs = get(action, 'kwargs');
    return name === undefined ? [] : { name, arguments: isObject(kwargs) ? kwargs : undefined };
  });
}
