import { isObject } from '../../core/json.ts';
import { redactSecrets } from '../../core/secrets.ts';
import type { Session, ToolStep, Turn } from '../../core/session.ts';
import type { AgentChatMessage, AgentToolCall, ToolAnswer } from '../scenario-process.ts';
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
  const { system, tools, coding } = recording;
  return {
    name,
    facts: { system, tools, coding },
    async ask({ messages, turnIndex, round }) {
      const turn = recording.turns[turnIndex];
      if (!turn) {
        const { length } = recording.turns;
        return fail(
          `${where} has ${length} ${length === 1 ? 'turn' : 'turns'}, and no answer in turn ${turnIndex + 1}.`,
        );
      }
      const said = messages.findLast(({ role }) => role === 'user')?.content;
      // Where the agent spoke first, the user of a scenario says something. A scenario has no secrets of the recording.
      if (turn.input?.trim() && !isSameMessage(said ?? '', turn.input)) {
        return fail(
          `${where} answers another message in turn ${turnIndex + 1}: the user says something else in the scenario. Record it again.`,
        );
      }
      const recorded = messagesOf(turn);
      // A turn may end without an answer.
      const message = recorded[round] ?? { role: 'assistant', content: null };
      const continues = !message.tool_calls && round < recorded.length - 1;
      return { type: 'message', message, calls: [], ...(continues ? { continues } : {}) };
    },
    recordedAnswer({ turnIndex, name: tool, arguments: raw }): ToolAnswer | undefined {
      const step = recording.turns[turnIndex]?.steps.find(
        (one): one is ToolStep =>
          one.type === 'tool' && !used.has(one) && one.name === tool && argumentText(one) === raw,
      );
      if (!step) return undefined;
      used.add(step);
      if (step.error !== undefined) return { type: 'error', message: step.error };
      return step.outcome === 'ok' ? { type: 'result', value: step.result } : { type: 'unmocked' };
    },
  };
}

function isSameMessage(said: string, recorded: string): boolean {
  return said.trim() === recorded.trim() || redactSecrets(said).trim() === redactSecrets(recorded).trim();
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
