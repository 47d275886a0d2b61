import { get, getArray, getNumber, getObject, getString, parseJson } from '../../core/json.ts';
import type { Pointer } from '../../core/session.ts';
import { joinTexts, type LocatedText } from '../chat/messages/conversation.ts';
import { isResponses } from '../chat/messages/openai-responses.ts';
import type { OutcomeReader } from '../chat/messages/openai-responses-results.ts';
import type { Problems } from '../problems.ts';
import { sample } from '../records.ts';

/** What Codex writes around a conversation: context in the user's name, outputs of its shell, turns that were undone. */

/** Whether a value is a session that is not written line by line, but as one object with `items`. */
export function isCodexSession(value: unknown): boolean {
  const items = getArray(value, 'items');
  if (!items || !isResponses(sample(items))) return false;
  return typeof get(getObject(value, 'session'), 'id') === 'string' || sample(items).some((item) => turnOf(item));
}

/** The id of a turn as Codex counts, which it passes through the API with every item. */
export function turnOf(item: unknown): string | undefined {
  return getString(get(item, 'internal_chat_message_metadata_passthrough'), 'turn_id');
}

/** Instructions of the user's files, which are sent as the first user message. */
const INSTRUCTIONS = /^\s*(?:<user_instructions>|# AGENTS\.md instructions)/;

const CONTEXT =
  /^\s*<\/?(?:environment_context|turn_aborted|permissions instructions|collaboration_mode|app-context|recommended_plugins|skill|skills|skills_instructions|plugins_instructions|user_shell_command|subagent_notification|image)\b[^>]*>/;

/** Editors put the open files before what the user wrote. */
const FROM_EDITOR = /^\s*# Context from my IDE setup:[\s\S]*?\n## My request for Codex:\s*/;

/** What a message in the user's name says, and who says it. */
export interface CodexUserText {
  /** The user; null for a message of something else than text, undefined when the user said nothing. */
  readonly user: LocatedText | null | undefined;
  readonly instructions: readonly LocatedText[];
}

/** @param item a message with the role of the user. */
export function parseUserText(item: unknown, pointer: Pointer): CodexUserText {
  const content = get(item, 'content');
  const place = `${pointer}/content`;
  const instructions: LocatedText[] = [];
  const written: LocatedText[] = [];
  let texts = 0;
  for (const [index, part] of (Array.isArray(content) ? content : [content]).entries()) {
    const text = typeof part === 'string' ? part : getString(part, 'text');
    if (text === undefined) continue;
    texts += 1;
    const at = part === content ? place : `${place}/${index}${typeof part === 'string' ? '' : '/text'}`;
    if (INSTRUCTIONS.test(text)) instructions.push({ text, pointer: at });
    else if (!CONTEXT.test(text)) written.push({ text: text.replace(FROM_EDITOR, ''), pointer: at });
  }
  const user = joinTexts(written, place);
  return { user: user === null && texts > 0 ? undefined : user, instructions };
}

/** The lines of turns that the user undid, and says so. */
export function rolledBackLines(lines: readonly unknown[], problems: Problems): ReadonlySet<number> {
  const undone = new Set<number>();
  /** Where the turns that still count begin. */
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
      for (let at = first; at < index; at += 1) undone.add(at);
      const message =
        count === 1
          ? 'The user undid the last turn before this line; it is left out.'
          : `The user undid the last ${count} turns before this line; they are left out.`;
      problems.warn('undone-turns', `/${index}`, message);
    }
  }
  return undone;
}

const REFUSED =
  /^(?:Wall time: [^\n]*\n)?(?:(?:exec command|patch|tool call) rejected by user|rejected by user|aborted by user|aborted$)/;
const FAILED =
  /^(?:failed to parse function arguments|unsupported (?:custom tool )?call|execution error|apply_patch verification failed)/;
/** Near the beginning of what its shell gives back. */
const EXIT_CODE = /(?:^|\n)(?:Exit code:|Process exited with code) (-?\d+)/;

/** What became of a call, by the words of Codex and the exit code of a command. */
export const codexOutcome: OutcomeReader = (said) => {
  if (REFUSED.test(said)) return 'rejected';
  if (FAILED.test(said)) return 'error';
  const code = exitCodeIn(said);
  return code === undefined ? undefined : code === 0 ? 'ok' : 'error';
};

function exitCodeIn(said: string): number | undefined {
  const [, code] = EXIT_CODE.exec(said.slice(0, 300)) ?? [];
  if (code !== undefined) return Number(code);
  // Before 2026: {"output": …, "metadata": {"exit_code": 0, …}}.
  if (!said.startsWith('{"output":') || !said.slice(-200).includes('"exit_code"')) return undefined;
  return getNumber(get(parseJson(said), 'metadata'), 'exit_code');
}
