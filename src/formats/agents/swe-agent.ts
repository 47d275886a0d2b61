import { get, getArray, getId, getNumber, getObject, getString, isObject, parseJson } from '../../core/json.ts';
import type { Pointer, Session, Tool } from '../../core/session.ts';
import type { AgentMessage, Message, RequestedCall } from '../chat/messages/conversation.ts';
import { buildConversation } from '../chat/messages/conversation.ts';
import { callsOf, openAiMessage } from '../chat/messages/openai.ts';
import { endingOfStatus } from '../ending.ts';
import type { SyncFormat } from '../format.ts';
import { stemOf, withUniqueIds } from '../ids.ts';
import { Problems } from '../problems.ts';
import { mostly, records, sample } from '../records.ts';
import { definedEntries } from '../values.ts';
import { resolvedOutcome } from './resolved.ts';
import { commandTools } from './swe-agent-commands.ts';

/**
 * Trajectories of SWE-agent. `trajectory` has every step with its plain observation, including steps that the model had
 * to repeat; `history` has the messages and tool calls. There are no return codes, so a command failed only if its
 * output says so.
 */
export const sweAgent: SyncFormat = {
  name: 'swe-agent',
  coding: true,
  title: 'SWE-agent trajectory',
  description: 'A .traj file of SWE-agent: {trajectory, history, info}',

  detect({ value }) {
    if (!mostly(sample(value), isRun)) return null;
    return 'a `trajectory` of actions and observations, or a `history` of messages with `message_type`';
  },

  read(document) {
    const problems = new Problems(document.file);
    const sessions = withUniqueIds(sessionsOf(), problems);
    if (sessions.length === 0) {
      problems.error('no-session', '', 'No run was found in this file: it has no list `trajectory` or `history`.');
    }
    return { sessions, problems: problems.list() };

    function* sessionsOf(): Generator<Session> {
      for (const [pointer, run] of records(document)) {
        const attempts = getArray(run, 'attempts') ?? [];
        for (const [index, attempt] of attempts.entries()) {
          const trial = String(index + 1);
          yield* sessionOf(attempt, `${pointer}/attempts/${index}`, document.file, trial, problems);
        }
        // The file of a run with retries also contains the best attempt.
        if (attempts.length === 0) yield* sessionOf(run, pointer, document.file, undefined, problems);
      }
    }
  },
};

function isRun(value: unknown): boolean {
  const attempts = getArray(value, 'attempts');
  if (attempts && attempts.length > 0) return hasSteps(attempts[0]);
  return hasSteps(value);
}

function hasSteps(run: unknown): boolean {
  const steps = getArray(run, 'trajectory') ?? [];
  if (steps.length > 0) return mostly(sample(steps), isStep);
  return mostly(sample(getArray(run, 'history') ?? []), isEntry);
}

function isStep(value: unknown): boolean {
  const texts = typeof get(value, 'action') === 'string' && typeof get(value, 'observation') === 'string';
  // Events of OpenHands have a source and an action or observation.
  return texts && get(value, 'source') === undefined;
}

function isEntry(value: unknown): boolean {
  return (
    typeof get(value, 'role') === 'string' &&
    typeof get(value, 'agent') === 'string' &&
    typeof get(value, 'message_type') === 'string'
  );
}

function* sessionOf(
  run: unknown,
  pointer: Pointer,
  file: string,
  trial: string | undefined,
  problems: Problems,
): Generator<Session> {
  if (!getArray(run, 'trajectory') && !getArray(run, 'history')) {
    problems.error('not-a-run', pointer, 'Cannot read this run: it has no list `trajectory` or `history`.');
    return;
  }
  const info = getObject(run, 'info');
  const status = getString(info, 'exit_status');
  const hasSubmitted = status?.startsWith('submitted') ?? false;
  if (status !== undefined && !hasSubmitted) {
    const why = `This run ended without a submission ("${status.slice(0, 200)}").`;
    problems.warn('run-failed', `${pointer}/info/exit_status`, why);
  }
  const config = configOf(run);
  const agent = getObject(config, 'agent');
  const problem = getObject(config, 'problem_statement');
  const id = getId(problem, 'id') || undefined;
  const model = getString(getObject(agent, 'model'), 'name');
  const tools = commandTools(getObject(agent, 'tools'));
  const { system, systemPointer, turns } = buildConversation(messagesOf(run, pointer, tools, problems), problems);
  yield {
    id: [id ?? stemOf(file), ...(trial === undefined ? [] : [`attempt-${trial}`])].join('-'),
    source: { file, format: sweAgent.name, pointer },
    goal: getString(problem, 'text'),
    system,
    systemPointer,
    metadata: definedEntries({
      exit_status: status,
      environment: getString(run, 'environment'),
      model,
      cost: getNumber(getObject(info, 'model_stats'), 'instance_cost'),
    }),
    task: id === undefined ? undefined : { id, trial, agent: model },
    outcome: resolvedOutcome(run, pointer),
    ending: endingOfStatus(
      status,
      `${pointer}/info/exit_status`,
      hasSubmitted && status ? { [status]: 'regular' } : {},
    ),
    tools,
    turns,
  };
}

/** An object, or JSON in a string. */
function configOf(run: unknown): unknown {
  const config = get(run, 'replay_config');
  return typeof config === 'string' ? parseJson(config) : config;
}

interface HistoryEntry {
  readonly value: unknown;
  readonly pointer: Pointer;
}

function* messagesOf(
  run: unknown,
  pointer: Pointer,
  tools: readonly Tool[] | undefined,
  problems: Problems,
): Generator<Message> {
  const commands = new Set(tools?.map(({ name }) => name));
  const steps = getArray(run, 'trajectory') ?? [];
  const recorded = entriesOf(getArray(run, 'history'), `${pointer}/history`);
  if (steps.length === 0) {
    yield* historyMessages(recorded, commands, problems);
    return;
  }
  const entries =
    recorded.length > 0 ? recorded : entriesOf(getArray(steps[0], 'query'), `${pointer}/trajectory/0/query`);
  const first = entries.findIndex(isAction);
  const opening = first < 0 ? entries : entries.slice(0, first);
  for (const { value, pointer: place } of opening) yield* openAiMessage(value, place, problems);

  const actions = recorded.filter(isAction);
  let next = 0;
  for (const [index, step] of steps.entries()) {
    const place = `${pointer}/trajectory/${index}`;
    if (!isObject(step)) {
      problems.warn('not-a-step', place, 'Step skipped: it is not an object.');
      continue;
    }
    // The history lacks steps that the model had to repeat, and the last step of older versions.
    const candidate = actions[next];
    const entry = candidate && get(candidate.value, 'action') === get(step, 'action') ? candidate : undefined;
    if (entry) next += 1;
    const message = agentMessage(step, place, entry, commands, problems);
    yield message;
    const [call] = message.calls;
    const observation = getString(step, 'observation');
    const ran = entry !== undefined || actions.length === 0 || observation !== '';
    if (!call || !ran || observation === undefined) continue;
    yield { role: 'result', pointer: place, call: call.id, value: observation, valuePointer: `${place}/observation` };
  }
}

/** Skip demonstrations, which are not part of the run. */
function entriesOf(history: readonly unknown[] | undefined, pointer: Pointer): readonly HistoryEntry[] {
  return (history ?? []).flatMap((value, index) => {
    return get(value, 'is_demo') === true ? [] : { value, pointer: `${pointer}/${index}` };
  });
}

function isAction({ value }: HistoryEntry): boolean {
  return get(value, 'role') === 'assistant';
}

function agentMessage(
  step: unknown,
  place: Pointer,
  entry: HistoryEntry | undefined,
  commands: ReadonlySet<string>,
  problems: Problems,
): AgentMessage {
  const key = getString(step, 'response') ? 'response' : 'thought';
  const text = getString(step, key);
  return {
    role: 'agent',
    pointer: place,
    content: text === undefined ? null : { text, pointer: `${place}/${key}` },
    reasoning: thoughtOf(entry?.value),
    calls: requestedIn(entry, problems) ?? callsOfText(step, place, commands),
  };
}

function thoughtOf(entry: unknown): string | undefined {
  const blocks = getArray(entry, 'thinking_blocks') ?? [];
  return blocks.flatMap((block) => getString(block, 'thinking') ?? []).join('\n') || undefined;
}

function requestedIn(entry: HistoryEntry | undefined, problems: Problems): readonly RequestedCall[] | undefined {
  const calls = entry && callsOf(entry.value, entry.pointer, problems);
  return calls && calls.length > 0 ? calls : undefined;
}

/** Actions that the harness writes when it gives up. */
const HARNESS_ACTION = /^(?:exit_\w+|skip)$/;

/** An action in text is a shell command, except for tools such as `submit`. */
function callsOfText(step: unknown, place: Pointer, commands: ReadonlySet<string>): readonly RequestedCall[] {
  const action = getString(step, 'action') ?? '';
  const command = action.trim();
  if (command === '' || HARNESS_ACTION.test(command)) return [];
  // An action has no id, so its pointer is used, to match its own observation only.
  const pointer = `${place}/action`;
  if (commands.has(command)) return [{ pointer, id: pointer, name: command, arguments: {} }];
  return [{ pointer, id: pointer, name: 'bash', arguments: { command: action } }];
}

/** Reads a history without a trajectory. In text-only runs, the observation is the user message after an action. */
function* historyMessages(
  entries: readonly HistoryEntry[],
  commands: ReadonlySet<string>,
  problems: Problems,
): Generator<Message> {
  let awaited: string | undefined;
  for (const entry of entries) {
    const { value, pointer } = entry;
    for (const message of openAiMessage(value, pointer, problems)) {
      if (message.role === 'agent') {
        const calls = message.calls.length > 0 ? message.calls : callsOfText(value, pointer, commands);
        awaited = calls[0]?.id;
        yield { ...message, reasoning: message.reasoning ?? thoughtOf(value), calls };
      } else if (message.role === 'result') {
        awaited = undefined;
        yield { ...message, call: message.call ?? answeredBy(value) };
      } else if (message.role === 'user' && awaited !== undefined) {
        const { content } = message;
        const value = content?.text;
        yield { role: 'result', pointer, call: awaited, value, valuePointer: content?.pointer ?? pointer };
        awaited = undefined;
      } else {
        yield message;
      }
    }
  }
}

function answeredBy(entry: unknown): string | undefined {
  const id = getArray(entry, 'tool_call_ids')?.[0];
  return typeof id === 'string' ? id : undefined;
}
