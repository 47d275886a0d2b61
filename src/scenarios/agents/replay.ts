import { isObject } from '../../core/json.ts';
import type { Session, ToolStep, Turn } from '../../core/session.ts';
import type { AgentChatMessage, AgentToolCall } from '../scenario-process.ts';
import type { AttemptUser } from '../user.ts';
import type { Agent } from './agent.ts';

/**
 * The answers of a recorded session instead of a remote agent, turn by turn and request by request. Tools that the scenario mocks
 * are called; those that it does not mock answer as they were recorded.
 */
export function replayAgent(name: string, recording: Session): Agent {
  const used = new Set<ToolStep>();
  const fail = (reason: string) => ({ type: 'failed' as const, reason, calls: [] });
  const where = `The recording in ${recording.source.file}`;
  return {
    name,
    async ask({ messages, turnIndex, round }) {
      const turn = recording.turns[turnIndex];
      if (!turn) {
        const { length } = recording.turns;
        return fail(
          `${where} has ${length} ${length === 1 ? 'turn' : 'turns'}, and no answer in turn ${turnIndex + 1}.`,
        );
      }
      const said = messages.findLast(({ role }) => role === 'user')?.content;
      if (turn.input !== null && said?.trim() !== turn.input.trim()) {
        return fail(
          `${where} answers another message in turn ${turnIndex + 1}: the user says something else in the scenario. Record it again.`,
        );
      }
      const message = messagesOf(turn)[round];
      if (!message) return fail(`${where} has no further answer in turn ${turnIndex + 1}.`);
      return { type: 'message', message, calls: [] };
    },
    recordedResult({ turnIndex, name: tool, arguments: raw }) {
      const step = recording.turns[turnIndex]?.steps.find(
        (one): one is ToolStep =>
          one.type === 'tool' && !used.has(one) && one.name === tool && argumentText(one) === raw,
      );
      if (!step) return undefined;
      used.add(step);
      return step.error === undefined ? step.result : { error: step.error };
    },
  };
}

/** The user of a recorded session, where the scenario has no script. */
export function replayedUser({ turns }: Session): AttemptUser {
  const inputs = turns.flatMap(({ input }) => input ?? []);
  return {
    next: async ({ length }) => {
      const text = inputs[length];
      return text === undefined
        ? { type: 'stop', cause: 'regular', reason: 'end of the recording' }
        : { type: 'message', text };
    },
  };
}

/** What the agent sent in a turn: calls that follow each other were one message, with the text before them. */
function messagesOf({ steps, output }: Turn): AgentChatMessage[] {
  const messages: AgentChatMessage[] = [];
  let text: string | null = null;
  let calls: AgentToolCall[] = [];
  const send = () => {
    if (calls.length > 0) messages.push({ role: 'assistant', content: text, tool_calls: calls });
    else if (text !== null) messages.push({ role: 'assistant', content: text });
    text = null;
    calls = [];
  };
  for (const [index, step] of steps.entries()) {
    if (step.type === 'model') {
      send();
      text = step.text ?? null;
    } else if (step.type === 'tool' && step.requestedBy === 'agent') {
      const id = step.id ?? `call_${index + 1}`;
      calls.push({ id, type: 'function', function: { name: step.name, arguments: argumentText(step) } });
    }
  }
  send();
  const last = messages.at(-1);
  const isAnswered = last !== undefined && !last.tool_calls && last.content === output;
  if (!isAnswered && output !== null) messages.push({ role: 'assistant', content: output });
  return messages;
}

function argumentText({ arguments: args }: ToolStep): string {
  return isObject(args) ? JSON.stringify(args) : args;
}
