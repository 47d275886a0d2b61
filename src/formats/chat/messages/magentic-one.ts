import { get, getString } from '../../../core/json.ts';
import type { Pointer } from '../../../core/session.ts';
import type { Problems } from '../../problems.ts';
import { mostly } from '../../records.ts';
import { codeCalls, codeResult, matchExecutions } from './code-execution.ts';
import type { AgentMessage, LocatedText, Message } from './conversation.ts';

/**
 * The log of a Magentic-One team: `{role, content}`. The role is the speaker and, for the orchestrator, the addressee:
 * `human`, `Orchestrator (thought)`, `Orchestrator (-> WebSurfer)`, `WebSurfer`.
 */

const USER = /^(?:human|user|user_?proxy)$/i;
const ADDRESSED_ROLE = /^(?=.*\)$)(.+) \((thought|final answer|termination condition|-> ?(.+))\)$/;

const FINAL_ANSWER = 'FINAL ANSWER:';

/** Whether a list is in this dialect: speakers with texts, at least one with an addressee. */
export function isMagenticOne(messages: readonly unknown[]): boolean {
  return messages.some(isAddressed) && mostly(messages, isUtterance);
}

function isUtterance(message: unknown): boolean {
  return typeof get(message, 'role') === 'string' && typeof get(message, 'content') === 'string';
}

function isAddressed(message: unknown): boolean {
  return isUtterance(message) && parseAddress(getString(message, 'role') ?? '').how !== undefined;
}

/** The parts of a role. */
function parseAddress(role: string): { readonly speaker: string; readonly how?: string; readonly addressee?: string } {
  // Names are short. Longer texts are not searched.
  const [, speaker = role, how, addressee] = (role.length <= 200 && ADDRESSED_ROLE.exec(role)) || [];
  return { speaker, how, addressee };
}

/** The messages of a log; `pointer` is that of the list. The team's last text to the user is the answer. */
export function* magenticOneMessages(
  messages: readonly unknown[],
  pointer: Pointer,
  problems: Problems,
): Generator<Message, void> {
  const utterances = messages.map((message) => {
    const [text, role] = [getString(message, 'content'), getString(message, 'role')];
    return text === undefined || role === undefined ? undefined : { text, speaker: parseAddress(role).speaker };
  });
  const { requested, outcomes } = matchExecutions(utterances);
  const last = messages.findLastIndex((message) => message !== undefined);
  for (const [index, message] of messages.entries()) {
    if (message === undefined) continue;
    const itemPointer = `${pointer}/${index}`;
    const utterance = utterances[index];
    const outcome = outcomes.get(index);
    if (!utterance) {
      problems.warn('not-a-message', itemPointer, 'Entry skipped: expected a `role` and a text in `content`.');
      continue;
    }
    const content = { text: utterance.text, pointer: `${itemPointer}/content` };
    const role = getString(message, 'role') ?? '';
    if (outcome) yield codeResult(utterance, outcome, itemPointer, content.pointer);
    else if (USER.test(role)) yield { role: 'user', pointer: itemPointer, content };
    else {
      const message = agentMessage(role, content, itemPointer);
      const calls = codeCalls(utterance.text, requested.get(index) ?? [], content.pointer);
      const answer = index === last ? (finalAnswerIn(content) ?? message.answer) : message.answer;
      yield { ...message, calls, answer };
    }
  }
}

function agentMessage(role: string, content: LocatedText, pointer: Pointer): AgentMessage {
  const { speaker, how, addressee } = parseAddress(role);
  const message = { role: 'agent', pointer, speaker, calls: [] } as const;
  if (how === 'thought') return { ...message, content: null, reasoning: content.text };
  const toUser = how === 'final answer' || (addressee !== undefined && USER.test(addressee));
  return { ...message, content, answer: toUser ? content : null };
}

/** The end of a log contains the output of the program around the team, under any speaker. */
function finalAnswerIn({ text, pointer }: LocatedText): LocatedText | undefined {
  const start = text.lastIndexOf(`\n${FINAL_ANSWER}`) + 1;
  if (!text.startsWith(FINAL_ANSWER, start)) return undefined;
  const end = text.indexOf('\nSCENARIO.PY ', start);
  return { text: text.slice(start + FINAL_ANSWER.length, end < 0 ? undefined : end).trim(), pointer };
}
