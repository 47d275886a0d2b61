import { get, getObject, getString } from '../../core/json.ts';
import type { Pointer } from '../../core/session.ts';
import { anthropicParts, anthropicUsage } from '../chat/messages/anthropic.ts';
import { extractUserText, isUserRejection, promptCommand } from '../chat/messages/claude-harness.ts';
import {
  type AgentMessage,
  buildConversation,
  joinTexts,
  type LocatedText,
  type Message,
  type RequestedCall,
  type ResultMessage,
  type UserMessage,
} from '../chat/messages/conversation.ts';
import type { Problems } from '../problems.ts';
import { isoTime } from '../values.ts';
import type { SubAgentMatcher } from './claude-code-sub-agents.ts';
import { isFromUser, type LogLine } from './claude-code-threads.ts';

/** Maximum nesting of sub-agents. */
const MAX_DEPTH = 16;

/** The messages of a thread, with its sub-agents after the calls that started them. */
export function* messagesOf(
  lines: readonly LogLine[],
  agents: SubAgentMatcher,
  problems: Problems,
  depth = 0,
): Generator<Message, void> {
  const pieces = groupPieces(lines);
  /** A command without an answer so far. If only the harness answers it, the agent never receives it. */
  let command: UserMessage | null = null;
  for (const line of lines) {
    switch (get(line.value, 'type')) {
      case 'assistant': {
        const message = pieces.get(line);
        if (!message) break;
        const { answer, results } = answerOf(message, problems);
        if (!answer) break;
        if (command) yield command;
        command = null;
        yield answer;
        yield* results;
        if (depth < MAX_DEPTH) yield* subAgentMessages(answer.calls, agents, problems, depth + 1);
        break;
      }
      case 'user': {
        const { results, userMessage: prompt, command: typed } = userLine(line, problems);
        yield* results;
        if (prompt) yield prompt;
        if (typed !== undefined) command = typed;
        break;
      }
      case 'attachment': {
        const prompt = queuedPrompt(line);
        if (prompt) yield prompt;
        break;
      }
      case 'system':
        if (isOutput(getString(line.value, 'content'))) command = null;
        break;
    }
  }
}

/** Groups the lines of a message by the first of them: messages are written in pieces, as they arrive. */
function groupPieces(lines: readonly LogLine[]): Map<LogLine, readonly LogLine[]> {
  const byId = new Map<string, LogLine[]>();
  const pieces = new Map<LogLine, LogLine[]>();
  for (const line of lines) {
    if (get(line.value, 'type') !== 'assistant') continue;
    const id = getString(get(line.value, 'message'), 'id');
    const first = id ? byId.get(id) : undefined;
    if (first) {
      first.push(line);
      continue;
    }
    const message = [line];
    pieces.set(line, message);
    if (id) byId.set(id, message);
  }
  return pieces;
}

function* subAgentMessages(
  calls: readonly RequestedCall[],
  agents: SubAgentMatcher,
  problems: Problems,
  depth: number,
): Generator<Message> {
  for (const call of calls) {
    const agent = agents.threadOf(call);
    if (!agent) continue;
    const { turns } = buildConversation(messagesOf(agent.lines, agents, problems, depth), problems);
    const name = getString(call.arguments, 'subagent_type') || call.name;
    const pointer = agent.lines[0]?.pointer ?? call.pointer;
    yield { role: 'sub-agent', pointer, id: agent.agent, name, turns };
  }
}

/**
 * An agent message and the results of the provider's tools. The message is null when the harness wrote it in the
 * agent's name.
 */
function answerOf(
  lines: readonly LogLine[],
  problems: Problems,
): { readonly answer: AgentMessage | null; readonly results: readonly ResultMessage[] } {
  const texts: LocatedText[] = [];
  const thoughts: string[] = [];
  const calls = new Map<unknown, RequestedCall>();
  const results: ResultMessage[] = [];
  for (const { pointer, value } of lines) {
    const at = timeOf(value);
    const parts = anthropicParts(get(get(value, 'message'), 'content'), `${pointer}/message/content`, problems);
    texts.push(...parts.texts);
    thoughts.push(...parts.thoughts);
    for (const call of parts.calls) calls.set(call.id ?? call, { ...call, at });
    for (const result of parts.results) results.push({ ...result, at });
  }
  const [first] = lines;
  const list = lines.length === 1 ? `${first?.pointer}/message/content` : (texts[0]?.pointer ?? '');
  const content = joinTexts(texts, list);
  const model = lastOf(lines, (message) => getString(message, 'model'));
  // The harness uses this model name to report failed calls, or to fill a gap.
  const isSynthetic = model === '<synthetic>' || get(first?.value, 'isApiErrorMessage') === true;
  if (!first || (isSynthetic && content?.text === 'No response requested.')) return { answer: null, results };
  const answer: AgentMessage = {
    role: 'agent',
    pointer: first.pointer,
    content: isSynthetic ? null : content,
    reasoning: thoughts.join('\n') || undefined,
    calls: [...calls.values()],
    model: isSynthetic ? undefined : model,
    finishReason: lastOf(lines, (message) => getString(message, 'stop_reason')),
    // Every piece repeats the counts so far.
    usage: isSynthetic ? undefined : lastOf(lines, (message) => anthropicUsage(get(message, 'usage'))),
    error: isSynthetic ? content?.text : undefined,
    at: timeOf(lines.at(-1)?.value),
  };
  return { answer, results };
}

function lastOf<Value>(lines: readonly LogLine[], read: (message: unknown) => Value | undefined): Value | undefined {
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const value = read(get(lines[index]?.value, 'message'));
    if (value !== undefined) return value;
  }
  return undefined;
}

interface UserLine {
  readonly results: readonly ResultMessage[];
  readonly userMessage: UserMessage | null;
  /** A command typed by the user; null if the line is the harness's answer to one. */
  readonly command: UserMessage | null | undefined;
}

function userLine({ pointer, value }: LogLine, problems: Problems): UserLine {
  const at = timeOf(value);
  const content = get(get(value, 'message'), 'content');
  const place = `${pointer}/message/content`;
  const parts = anthropicParts(content, place, problems);
  const rejected = isRejected(value);
  const results = parts.results.map((result) => {
    const outcome = result.outcome ?? 'ok';
    return { ...result, at, outcome: rejected && outcome === 'error' ? ('rejected' as const) : outcome };
  });
  if (!isFromUser(value)) return { results, userMessage: null, command: undefined };
  const userTexts = parts.texts.flatMap((text) => extractUserText(text) ?? []);
  if (userTexts.length > 0 || (results.length === 0 && parts.texts.length === 0)) {
    return { results, userMessage: { role: 'user', pointer, content: joinTexts(userTexts, place), at }, command: null };
  }
  return { results, userMessage: null, command: commandIn(parts.texts, pointer, at) };
}

function commandIn(texts: readonly LocatedText[], pointer: Pointer, at: string | undefined): UserLine['command'] {
  for (const text of texts) {
    const typed = promptCommand(text.text);
    if (typed !== null) return { role: 'user', pointer, content: { text: typed, pointer: text.pointer }, at };
    if (isOutput(text.text)) return null;
  }
  return undefined;
}

/** Whether a text is the output of a local command. */
function isOutput(text: string | undefined): boolean {
  return text !== undefined && /^\s*<local-command-std(?:out|err)>/.test(text);
}

/**
 * Whether the user rejected the call. If the user gave a reason, the result is that text and only the line has the
 * flag.
 */
function isRejected(line: unknown): boolean {
  const result = getString(line, 'toolUseResult') ?? getString(line, 'tool_use_result');
  return result !== undefined && isUserRejection(result);
}

/** A prompt typed while the agent worked, which is passed on with the next results. */
function queuedPrompt({ pointer, value }: LogLine): UserMessage | null {
  const attachment = getObject(value, 'attachment');
  if (get(attachment, 'type') !== 'queued_command' || !isFromUser(attachment)) return null;
  if ((getString(attachment, 'commandMode') ?? 'prompt') !== 'prompt') return null;
  const prompt = get(attachment, 'prompt');
  const texts = Array.isArray(prompt) ? prompt.map((block) => getString(block, 'text')) : [prompt];
  const place = `${pointer}/attachment/prompt`;
  const userTexts = texts.flatMap((text, index) => {
    const at = Array.isArray(prompt) ? `${place}/${index}/text` : place;
    return typeof text === 'string' ? (extractUserText({ text, pointer: at }) ?? []) : [];
  });
  return userTexts.length === 0
    ? null
    : { role: 'user', pointer, content: joinTexts(userTexts, place), at: timeOf(value) };
}

function timeOf(line: unknown): string | undefined {
  return isoTime(get(line, 'timestamp'));
}
