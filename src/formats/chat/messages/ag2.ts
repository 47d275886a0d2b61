import { get, getArray, getId, getString } from '../../../core/json.ts';
import type { Pointer } from '../../../core/session.ts';
import type { Problems } from '../../problems.ts';
import { codeCalls, codeResult, matchExecutions } from './code-execution.ts';
import type { AgentMessage, LocatedText, Message } from './conversation.ts';
import { agentMessage, isOpenAi, openAiMessage } from './openai.ts';

/**
 * The messages of AutoGen 0.2 and AG2: OpenAI's, with the speaker's `name`. Roles are relative to the agent whose view
 * was exported: `assistant` for itself, `user` for all others.
 */

const USER_NAME = /^(?:user|human|admin|customer)(?:[_ -]?(?:proxy|agent|proxy[_ -]?agent))?$/i;

/** Whether a list is in this dialect: OpenAI's with names everywhere and more speakers than OpenAI's roles allow. */
export function isAg2(messages: readonly unknown[]): boolean {
  if (!isOpenAi(messages)) return false;
  if (messages.some((message) => getArray(message, 'tool_responses') !== undefined)) return true;
  const spokenMessages = messages.filter((message) => isSpeakerRole(get(message, 'role')));
  if (!spokenMessages.every((message) => getString(message, 'name'))) return false;
  const names = (role: string) =>
    new Set(
      spokenMessages.flatMap((message) => (get(message, 'role') === role ? (getString(message, 'name') ?? []) : [])),
    );
  return names('user').size > 1 || Array.from(names('assistant')).some((name) => USER_NAME.test(name));
}

function isSpeakerRole(role: unknown): boolean {
  return role === 'user' || role === 'assistant';
}

/**
 * The messages of a list; `pointer` is that of the list. The first message is the task unless the task is known from
 * elsewhere. Later messages of its sender are user messages if the name is a user's.
 */
export function* ag2Messages(
  messages: readonly unknown[],
  pointer: Pointer,
  problems: Problems,
  { opensWithTask = true }: { readonly opensWithTask?: boolean } = {},
): Generator<Message, void> {
  const agentMessages = messages.map((message, index) =>
    isSpeakerRole(get(message, 'role')) ? agentMessage(message, `${pointer}/${index}`, problems) : undefined,
  );
  const opening = opensWithTask ? agentMessages.findIndex((index) => index !== undefined) : -1;
  const utterances = agentMessages.map((parsed, index) => toUtterance(parsed, messages[index]));
  const { requested, outcomes } = matchExecutions(utterances);
  for (const [index, message] of messages.entries()) {
    if (message === undefined) continue;
    const itemPointer = `${pointer}/${index}`;
    const parsed = agentMessages[index];
    const utterance = utterances[index];
    const outcome = outcomes.get(index);
    if (!parsed) yield* toolMessages(message, itemPointer, problems);
    else if (utterance && outcome) {
      yield codeResult(utterance, outcome, itemPointer, parsed.content?.pointer ?? itemPointer);
    } else if (index === opening) {
      yield { role: 'user', pointer: itemPointer, content: parsed.content };
    } else if (USER_NAME.test(parsed.speaker ?? '') && parsed.calls.length === 0) {
      // An automatic reply of a proxy is empty.
      if (parsed.content && /\S/.test(parsed.content.text))
        yield { role: 'user', pointer: itemPointer, content: parsed.content };
    } else {
      const ran = codeCalls(utterance?.text ?? '', requested.get(index) ?? [], parsed.content?.pointer ?? itemPointer);
      yield { ...parsed, calls: [...parsed.calls, ...ran], answer: answerForUser(parsed.content) };
    }
  }
}

function toUtterance(parsed: AgentMessage | undefined, message: unknown) {
  if (!parsed?.content) return undefined;
  return { text: parsed.content.text, speaker: parsed.speaker ?? getString(message, 'role') ?? '' };
}

function* toolMessages(message: unknown, itemPointer: Pointer, problems: Problems): Generator<Message, void> {
  const responses = getArray(message, 'tool_responses');
  if (!responses) {
    yield* openAiMessage(message, itemPointer, problems);
    return;
  }
  // `content` contains all of them in one text.
  for (const [index, response] of responses.entries()) {
    const pointer = `${itemPointer}/tool_responses/${index}`;
    const value = get(response, 'content');
    const valuePointer = value === undefined ? pointer : `${pointer}/content`;
    yield { role: 'result', pointer, call: getId(response, 'tool_call_id'), value, valuePointer };
  }
}

/** Agents of AutoGen end a conversation with this word. */
const STOP_WORD = 'TERMINATE';

/**
 * The part of an agent's text for the user: without the word that ends a chat, which is for the program, and without
 * terminal errors, which are for other agents.
 */
export function answerForUser(content: LocatedText | null): LocatedText | null {
  if (!content || /^There is no code from the last \d+ messages? for me to execute/.test(content.text)) return null;
  const trimmed = content.text.trimEnd();
  const text = trimmed.endsWith(STOP_WORD) ? trimmed.slice(0, -STOP_WORD.length).trimEnd() : content.text;
  return text === '' ? null : { text, pointer: content.pointer };
}
