import type { Pointer } from '../../../core/session.ts';
import type { RequestedCall, ResultMessage } from './conversation.ts';

/**
 * Agents of AutoGen call no tool to run code: they write it into a message, and a terminal that takes part in the
 * conversation answers with what came out. What is read is a call of that terminal.
 */

/** How terminals begin to say what came out: AutoGen 0.2's, and Magentic-One's with and without output. */
const EXIT = [
  /^exitcode: (-?\d+) \(/,
  /^The script ran, then exited with Unix exit code: (-?\d+)/,
  /^The script ran but produced no output to console\. The Unix exit code was: (-?\d+)/,
] as const;

const CODE_BLOCK = /```[\w+-]*\r?\n([\s\S]*?)```/g;

/** A message of such a conversation. */
export interface Utterance {
  readonly text: string;
  readonly speaker: string;
}

/** Which executions a message asked for, and which messages are what came out of one. */
export interface Executions {
  /** By the index of the message: the terminals that ran its code. */
  readonly requested: ReadonlyMap<number, readonly string[]>;
  /** By the index of the message. */
  readonly outcomes: ReadonlyMap<number, 'ok' | 'error'>;
}

/** The code that runs is what was written last; an output without any code before it is a message like others. */
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

/** The calls of a message whose code some terminals ran. */
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

/** What stands in the fenced blocks of a text; undefined when there is none. */
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
