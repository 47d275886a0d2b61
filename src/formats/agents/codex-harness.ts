import { get, getArray, getNumber, getObject, getString, parseJson } from '../../core/json.ts';
import type { Pointer } from '../../core/session.ts';
import { joinTexts, type LocatedText } from '../chat/messages/conversation.ts';
import { isResponses } from '../chat/messages/openai-responses.ts';
import type { OutcomeReader } from '../chat/messages/openai-responses-results.ts';
import type { Problems } from '../problems.ts';
import { sample } from '../records.ts';

/** Codex's additions to a conversation: context in user messages, shell output, rolled-back turns. */

/** Whether a value is a session written as one object with `items`. */
export function isCodexSession(value: unknown): boolean {
  const items = getArray(value, 'items');
  if (!items || !isResponses(sample(items))) return false;
  return typeof get(getObject(value, 'session'), 'id') === 'string' || sample(items).some((item) => turnOf(item));
}

/** Codex's turn id, which it passes through the API with every item. */
export function turnOf(item: unknown): string | undefined {
  return getString(get(item, 'internal_chat_message_metadata_passthrough'), 'turn_id');
}

/** Instructions from the user's files, sent as the first user message. */
const INSTRUCTIONS = /^\s*(?:<user_instructions>|# AGENTS\.md instructions)/;

const CONTEXT =
  /^\s*<\/?(?:environment_context|turn_aborted|permissions instructions|collaboration_mode|app-context|recommended_plugins|skill|skills|skills_instructions|plugins_instructions|user_shell_command|subagent_notification|image)\b[^>]*>/;

/** Editors put the open files before the user's text. */
const FROM_EDITOR = /^\s*# Context from my IDE setup:[\s\S]*?\n## My request for Codex:\s*/;

/** The parts of a user message by their author. */
export interface CodexUserText {
  /** The user's text; null for a message without text, undefined if the user wrote nothing. */
  readonly user: LocatedText | null | undefined;
  readonly instructions: readonly LocatedText[];
}

/** @param item a message with the role "user". */
export function parseUserText(item: unknown, pointer: Pointer): CodexUserText {
  const content = get(item, 'content');
  const place = `${pointer}/content`;
  const instructions: LocatedText[] = [];
  const userTexts: LocatedText[] = [];
  let texts = 0;
  for (const [index, part] of (Array.isArray(content) ? content : [content]).entries()) {
    const text = typeof part === 'string' ? part : getString(part, 'text');
    if (text === undefined) continue;
    texts += 1;
    const at = part === content ? place : `${place}/${index}${typeof part === 'string' ? '' : '/text'}`;
    if (INSTRUCTIONS.test(text)) instructions.push({ text, pointer: at });
    else if (!CONTEXT.test(text)) userTexts.push({ text: text.replace(FROM_EDITOR, ''), pointer: at });
  }
  const user = joinTexts(userTexts, place);
  return { user: user === null && texts > 0 ? undefined : user, instructions };
}

/** The lines of turns that the user rolled back, with a warning for each rollback. @param list the pointer of the lines. */
export function rolledBackLines(lines: readonly unknown[], list: Pointer, problems: Problems): ReadonlySet<number> {
  const rolledBack = new Set<number>();
  /** First lines of the remaining turns. */
  const starts: number[] = [];
  for (const [index, line] of lines.entries()) {
    const payload = get(line, 'payload');
    const type = get(line, 'type');
    if (type === 'response_item' && get(payload, 'role') === 'user') {
      if (parseUserText(payload, '').user !== undefined) starts.push(index);
    } else if (type === 'event_msg' && get(payload, 'type') === 'thread_rolled_back') {
      const count = Math.min(starts.length, Math.max(0, Math.trunc(getNumber(payload, 'num_turns') ?? 0)));
      const [first] = count === 0 ? [] : starts.splice(starts.length - count);
      if (first === undefined) continue;
      for (let at = first; at < index; at += 1) rolledBack.add(at);
      const message =
        count === 1
          ? 'The user rolled back the turn before this line; it is skipped.'
          : `The user rolled back ${count} turns before this line; they are skipped.`;
      problems.warn('undone-turns', `${list}/${index}`, message);
    }
  }
  return rolledBack;
}

const REFUSED =
  /^(?:Wall time: [^\n]*\n)?(?:(?:exec command|patch|tool call) rejected by user|rejected by user|aborted by user|aborted$)/;
const FAILED =
  /^(?:failed to parse function arguments|unsupported (?:custom tool )?call|execution error|apply_patch verification failed)/;
/** Near the start of shell output. */
const EXIT_CODE = /(?:^|\n)(?:Exit code:|Process exited with code) (-?\d+)/;

/** The outcome of a call, from Codex's messages and the exit code. */
export const codexOutcome: OutcomeReader = (output) => {
  if (REFUSED.test(output)) return 'rejected';
  if (FAILED.test(output)) return 'error';
  const code = exitCodeIn(output);
  return code === undefined ? undefined : code === 0 ? 'ok' : 'error';
};

function exitCodeIn(output: string): number | undefined {
  const [, code] = EXIT_CODE.exec(output.slice(0, 300)) ?? [];
  if (code !== undefined) return Number(code);
  // Before 2026: {"output": …, "metadata": {"exit_code": 0, …}}.
  if (!output.startsWith('{"output":') || !output.slice(-200).includes('"exit_code"')) return undefined;
  return getNumber(get(parseJson(output), 'metadata'), 'exit_code');
}
