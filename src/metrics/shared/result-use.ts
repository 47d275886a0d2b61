import { parseJson } from '../../core/json.ts';
import { agentToolCalls, type ToolStep, type Turn } from '../../core/session.ts';

/** A value that a tool returned and the answer repeats. */
export interface UsedResult {
  readonly call: ToolStep;
  readonly value: string;
}

/**
 * The first value of a tool's result that the answer repeats and that is neither in the user's text nor in the arguments
 * of a call, so that the agent took it from the result. Null proves nothing: an answer may paraphrase a result.
 */
export function findUsedResult(turn: Turn): UsedResult | null {
  const answer = turn.output ?? '';
  const calls = agentToolCalls(turn);
  const inputs = [turn.input ?? '', ...calls.flatMap((call) => leavesOf(call.arguments))].join('\n');
  const [answered, known] = [extractFigures(answer), extractFigures(inputs)];
  for (const call of calls) {
    if (call.outcome !== 'ok') continue;
    const leaves = leavesOf(call.result);
    for (const leaf of leaves) {
      for (const figure of extractFigures(leaf)) {
        // A single digit only counts if it is the whole result.
        const telling = figure.length > 1 || leaves.length === 1;
        if (telling && answered.has(figure) && !known.has(figure)) return { call, value: figure };
      }
      if (isName(leaf) && contains(answer, leaf) && !contains(inputs, leaf)) return { call, value: leaf };
    }
  }
  return null;
}

/** Values of one result that are compared: the beginning of a large result is enough. */
const MAX_LEAVES = 1000;
const MAX_NAME_CHARS = 200;

/** Strings and numbers of a JSON value as texts, including JSON inside strings; not recursive. */
function leavesOf(root: unknown): string[] {
  const leaves: string[] = [];
  const waiting: unknown[] = [typeof root === 'string' ? (parseJson(root) ?? root) : root];
  while (waiting.length > 0 && leaves.length < MAX_LEAVES) {
    const next = waiting.pop();
    if (typeof next === 'string') leaves.push(next);
    else if (typeof next === 'number') leaves.push(String(next));
    else if (typeof next === 'object' && next !== null) {
      for (const inner of Object.values(next).reverse()) waiting.push(inner);
    }
  }
  return leaves;
}

const TOKEN = /[\p{L}\p{N}]+(?:[-_.:,/@][\p{L}\p{N}]+)*/gu;
const NUMBER = /^(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/;

/** Numbers by value (`1,234.50` is `1234.5`), and identifiers and dates: tokens with a digit, in lower case. */
function extractFigures(text: string): Set<string> {
  const figures = new Set<string>();
  for (const token of text.match(TOKEN) ?? []) {
    if (NUMBER.test(token)) figures.add(String(Number(token.replaceAll(',', ''))));
    else if (/\p{N}/u.test(token)) figures.add(token.toLowerCase());
  }
  return figures;
}

/** Whether a text looks like a proper name or a phrase: several words, or a capital letter. */
function isName(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.length > 2 && trimmed.length <= MAX_NAME_CHARS && /\p{Lu}|\p{L}\s+\p{L}/u.test(trimmed);
}

/** Whether a text contains a phrase as whole words, case-sensitive. */
function contains(text: string, phrase: string): boolean {
  const wanted = phrase.trim();
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const around = `${text.slice(0, at).slice(-1)} ${text.slice(at + wanted.length, at + wanted.length + 1)}`;
    if (!/[\p{L}\p{N}]/u.test(around)) return true;
  }
  return false;
}
