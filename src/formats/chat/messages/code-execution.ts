import type { Pointer } from '../../../core/session.ts';
import type { RequestedCall, ResultMessage } from './conversation.ts';

/**
 * Agents of AutoGen do not call a tool to run code: they write it into a message, and a terminal in the conversation
 * answers with the output. It is read as a call of that terminal.
 */

/** How the output of terminals begins: in AutoGen 0.2, and in Magentic-One with and without output. */
const EXIT = [
  /^exitcode: (-?\d+) \(/,
  /^The script ran, then exited with Unix exit code: (-?\d+)/,
  /^The script ran but produced no output to console\. The Unix exit code was: (-?\d+)/,
] as const;

const CODE_BLOCK = /```[\w+-]*\r?\n([\s\S]*?)```/g;

/** A message in such a conversation. */
export interface Utterance {
  readonly text: string;
  readonly speaker: string;
}

/** The executions that messages requested, and the messages that are their output. */
export interface Executions {
  /** The terminals that ran the code of a message, by the index of the message. */
  readonly requested: ReadonlyMap<number, readonly string[]>;
  /** By the index of the message. */
  readonly outcomes: ReadonlyMap<number, 'ok' | 'error'>;
}

/**
 * Matches outputs with code: the last code before an output is what ran. An output without earlier code is a normal
 * message.
 */
export function matchExecutions(utterances: readonly (Utterance | undefined)[]): Executions {
  const requested = new Map<number, string[]>();
  const outcomes = new Map<number, 'ok' | 'error'>();
  let latest: number | undefined;
  for (const [index, utterance] of utterances.entries()) {
    if (!utterance) continue;
    const code = exitCodeOf(utterance.text);
    if (code === undefined) {
      if (fencedCode(utterance.text) !== undefined) latest = index;
      continue;
    }
    if (latest === undefined) continue;
    const terminals = requested.get(latest);
    if (terminals) terminals.push(utterance.speaker);
    else requested.set(latest, [utterance.speaker]);
    outcomes.set(index, code === 0 ? 'ok' : 'error');
  }
  return { requested, outcomes };
}

/** The calls of a message whose code terminals ran. */
export function codeCalls(text: string, terminals: readonly string[], pointer: Pointer): RequestedCall[] {
  const code = fencedCode(text) ?? '';
  return terminals.map((name) => ({ pointer, name, arguments: { code } }));
}

export function codeResult(
  { text, speaker }: Utterance,
  outcome: 'ok' | 'error',
  pointer: Pointer,
  content: Pointer,
): ResultMessage {
  return { role: 'result', pointer, name: speaker, value: text, valuePointer: content, outcome };
}

/** The content of the fenced blocks in a text; undefined if there are none. */
export function fencedCode(text: string): string | undefined {
  const blocks = Array.from(text.matchAll(CODE_BLOCK), ([, code = '']) => code.trimEnd());
  return blocks.length > 0 ? blocks.join('\n\n') : undefined;
}

function exitCodeOf(text: string): number | undefined {
  for (const pattern of EXIT) {
    const code = pattern.exec(text)?.[1];
    if (code !== undefined) return Number(code);
  }
  return undefined;
}
