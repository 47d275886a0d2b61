import { get, getArray, getId, getNumber, getObject, getString } from '../../core/json.ts';
import type { Pointer, Session, ToolOutcome } from '../../core/session.ts';
import {
  type AgentMessage,
  buildConversation,
  type Message,
  type RequestedCall,
} from '../chat/messages/conversation.ts';
import { openAiMessage } from '../chat/messages/openai.ts';
import { messagesOf as itemMessages, responsesMessages } from '../chat/messages/openai-responses.ts';
import { endingOfStatus } from '../ending.ts';
import type { SyncFormat } from '../format.ts';
import { stemOf } from '../ids.ts';
import { Problems } from '../problems.ts';
import { mostly, sample } from '../records.ts';
import { definedEntries, isoFromSeconds, openAiUsage } from '../values.ts';
import { resolvedOutcome } from './resolved.ts';

/**
 * Trajectories of mini-swe-agent, whose only tool is the shell. In version 1, each answer has one command in a bash
 * block and the next user message is its output; version 2 calls the tool `bash`.
 */
export const miniSweAgent: SyncFormat = {
  name: 'mini-swe-agent',
  coding: true,
  title: 'mini-swe-agent trajectory',
  description: 'A .traj.json of mini-swe-agent: {trajectory_format, info, messages}',

  detect({ value }) {
    if (!getString(value, 'trajectory_format')?.startsWith('mini-swe-agent')) return null;
    const messages = getArray(value, 'messages');
    if (!messages || (messages.length > 0 && !mostly(sample(messages), isMessage))) return null;
    return 'a `trajectory_format` of mini-swe-agent and `messages`';
  },

  read({ file, value }) {
    const problems = new Problems(file);
    if (!getArray(value, 'messages')) {
      problems.error('no-session', '', 'No run was found in this file: it has no list of `messages`.');
      return { sessions: [], problems: problems.list() };
    }
    return { sessions: [sessionOf(value, file, problems)], problems: problems.list() };
  },
};

function isMessage(value: unknown): boolean {
  return typeof get(value, 'role') === 'string' || typeof get(value, 'type') === 'string' || isResponse(value);
}

function isResponse(value: unknown): boolean {
  return get(value, 'object') === 'response';
}

function sessionOf(run: unknown, file: string, problems: Problems): Session {
  const info = getObject(run, 'info');
  const status = getString(info, 'exit_status');
  if (status !== undefined && status !== '' && status !== 'Submitted') {
    const why = `This run ended without a submission ("${status.slice(0, 200)}").`;
    problems.warn('run-failed', '/info/exit_status', why);
  }
  const id = getId(run, 'instance_id') || undefined;
  const model = getString(getObject(getObject(info, 'config'), 'model'), 'model_name');
  return {
    id: id ?? stemOf(file),
    source: { file, format: miniSweAgent.name, pointer: '' },
    metadata: definedEntries({
      exit_status: status,
      model,
      cost: getNumber(getObject(info, 'model_stats'), 'instance_cost'),
      version: getString(info, 'mini_version'),
    }),
    task: id === undefined ? undefined : { id, agent: model },
    outcome: resolvedOutcome(run, ''),
    ending: endingOfStatus(status, '/info/exit_status', { Submitted: 'regular' }),
    ...buildConversation(new MiniSweTrajectory(run, status, problems).messages(), problems),
  };
}

class MiniSweTrajectory {
  readonly #messages: readonly unknown[];
  readonly #submitted: boolean;
  readonly #problems: Problems;
  /** Ids of the last answer's calls without a result. */
  #open: string[] = [];
  /** Whether the last answer's commands are in its text: the next user message is then the first one's output. */
  #inText = false;
  /** Whether the last answer has no command, which the harness rejects. */
  #unusable = false;

  constructor(run: unknown, status: string | undefined, problems: Problems) {
    this.#messages = getArray(run, 'messages') ?? [];
    this.#submitted = status === 'Submitted';
    this.#problems = problems;
  }

  *messages(): Generator<Message> {
    for (const [index, value] of this.#messages.entries()) {
      const place = `/messages/${index}`;
      const isLast = index === this.#messages.length - 1;
      // The last message of version 2: how the run ended.
      if (get(value, 'role') === 'exit') continue;
      for (const message of readAs(value, place, this.#problems)) {
        switch (message.role) {
          case 'agent':
            yield this.#agentMessage(message, value);
            break;
          case 'user':
            yield* this.#afterAgent(message, value, isLast);
            break;
          case 'result':
            this.#open = this.#open.filter((id) => id !== message.call);
            if (wasExecuted(value)) yield { ...message, at: timeOf(value), outcome: outcomeOf(value, message.value) };
            break;
          default:
            yield message;
        }
      }
    }
  }

  #agentMessage(message: AgentMessage, value: unknown): Message {
    this.#inText = message.calls.length === 0;
    const calls = this.#inText ? commandsIn(message, value) : message.calls;
    this.#open = calls.flatMap(({ id }) => id ?? []);
    this.#unusable = calls.length === 0;
    return { ...message, calls, ...responseOf(value, message), at: timeOf(value) };
  }

  /** Reads a user message, which may be a command's output, a rejection, a message of the harness, or the user's. */
  *#afterAgent(message: Message & { readonly role: 'user' }, value: unknown, isLast: boolean): Generator<Message> {
    const text = message.content?.text ?? '';
    const interrupt = getString(getObject(value, 'extra'), 'interrupt_type');
    const [call, ...others] = this.#open;
    const result = {
      role: 'result',
      pointer: message.pointer,
      value: message.content?.text,
      valuePointer: message.content?.pointer ?? message.pointer,
      at: timeOf(value),
    } as const;
    const unusable = this.#unusable;
    this.#unusable = false;
    if (call !== undefined && (interrupt === 'UserRejection' || text.startsWith('Command not executed.'))) {
      for (const id of this.#open) yield { ...result, call: id, outcome: 'rejected' };
      this.#open = [];
    } else if (interrupt?.startsWith('User') || /^(?:Interrupted by user|The user added a new task):/.test(text)) {
      this.#open = [];
      yield message;
    } else if (call !== undefined && this.#inText) {
      this.#open = others;
      if (wasExecuted(value)) yield { ...result, call, outcome: outcomeOf(value, text) };
    } else if (interrupt === undefined && !unusable && !(isLast && !this.#submitted && this.#open.length === 0)) {
      yield message;
    }
    // The harness: "Please always provide EXACTLY ONE action", or why it stops. This starts no turn.
  }
}

/** Reads one message: a chat completion message, or items of the Responses API. */
function readAs(value: unknown, place: Pointer, problems: Problems): Generator<Message, void> {
  if (isResponse(value)) return responsesMessages(getArray(value, 'output') ?? [], `${place}/output`, problems);
  if (getString(value, 'type') === 'function_call_output') {
    return itemMessages([{ item: value, pointer: place }], problems, () => undefined);
  }
  return openAiMessage(value, place, problems);
}

/** The commands in an answer's text: those found by the harness, else the one in its only bash block. */
function commandsIn({ content }: AgentMessage, value: unknown): readonly RequestedCall[] {
  const pointer = content?.pointer;
  if (pointer === undefined) return [];
  const actions = (getArray(getObject(value, 'extra'), 'actions') ?? []).flatMap(
    (action) => getString(action, 'command') ?? [],
  );
  const commands = actions.length > 0 ? actions : blocksIn(content?.text ?? '');
  if (actions.length === 0 && commands.length !== 1) return [];
  // A command has no id, so its pointer is used, to match its own output only.
  return commands.map((command, index) => {
    const id = `${pointer}#${index + 1}`;
    return { pointer, id, name: 'bash', arguments: { command } };
  });
}

const FENCE = '```';

/** The contents of ```bash blocks as the harness finds them: up to the next line that starts with a fence. */
function blocksIn(text: string): readonly string[] {
  const blocks: string[] = [];
  let at = text.indexOf(`${FENCE}bash`);
  while (at >= 0) {
    const start = text.indexOf('\n', at);
    const end = start < 0 ? -1 : text.indexOf(`\n${FENCE}`, start + 1);
    if (end < 0) break;
    // Only white space may follow the language name.
    if (!/\S/.test(text.slice(at + FENCE.length + 'bash'.length, start)))
      blocks.push(text.slice(start + 1, end).trim());
    at = text.indexOf(`${FENCE}bash`, end + 1 + FENCE.length);
  }
  return blocks;
}

/** Whether a call was executed: calls after the end of the run are not. */
function wasExecuted(value: unknown): boolean {
  return getString(getObject(value, 'extra'), 'exception_info') !== 'action was not executed';
}

/**
 * The return code says whether a call failed, as `is_error` does in Claude Code's logs for the same commands. Metrics
 * know that many failing commands are harmless. Without a code, the output decides.
 */
function outcomeOf(value: unknown, output: unknown): Exclude<ToolOutcome, 'missing'> | undefined {
  const text = typeof output === 'string' ? output : '';
  const returnCode = /^<returncode>\s*(-?\d{1,9})\s*<\/returncode>/.exec(text)?.[1];
  const code =
    getNumber(getObject(value, 'extra'), 'returncode') ?? (returnCode === undefined ? undefined : Number(returnCode));
  if (code !== undefined) return code === 0 ? 'ok' : 'error';
  const killed = text.startsWith('The last command <command>') && text.includes(' timed out and has been killed.');
  return killed ? 'error' : undefined;
}

function responseOf(value: unknown, message: AgentMessage): Partial<AgentMessage> {
  const response = getObject(getObject(value, 'extra'), 'response') ?? value;
  const choice = getArray(response, 'choices')?.[0];
  const answered = getObject(choice, 'message');
  return {
    model: getString(response, 'model') ?? message.model,
    usage: openAiUsage(get(response, 'usage')) ?? message.usage,
    finishReason: getString(choice, 'finish_reason') ?? message.finishReason,
    reasoning: message.reasoning ?? getString(answered, 'reasoning_content') ?? getString(answered, 'reasoning'),
  };
}

function timeOf(value: unknown): string | undefined {
  const extra = getObject(value, 'extra');
  return isoFromSeconds(get(extra, 'timestamp') ?? get(getObject(extra, 'response'), 'created'));
}
