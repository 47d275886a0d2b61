import { isObject } from '../../core/json.ts';
import type { Step } from '../../core/session.ts';
import type { IndexedCall, RuleView } from '../../rules/rule-view.ts';

const MIN_ID = 4;
const MAX_ID = 100;
const MAX_DEPTH = 64;

/**
 * Finds ids that exist only in this session, so that two attempts never share them: what a change of this session returned
 * (the number of a new order), and random ids that the agent made up (a UUID against double execution). An id that the user,
 * the instructions or a look-up named before stands for a thing that every attempt knows.
 *
 * @returns for a call, whether a value of its arguments is such an id.
 */
export function findGeneratedIds(view: RuleView): (call: IndexedCall) => (value: string) => boolean {
  const candidates = new Set<string>();
  for (const { step } of view.changes) {
    for (const text of leavesOf(step.arguments)) if (looksLikeId(text)) candidates.add(text);
  }
  const returned = new Set<string>();
  for (const { step } of view.changes.slice(0, -1)) {
    for (const word of wordsOf(step.result)) if (candidates.has(word)) returned.add(word);
  }
  const wanted = new Set([...candidates].filter((value) => returned.has(value) || looksRandom(value)));
  if (wanted.size === 0) return () => () => false;
  const sources = firstSources(view, wanted);
  return (call) => (value) => {
    if (!wanted.has(value)) return false;
    const source = sources.get(value);
    // What is seen only later was unknown to the agent.
    return source && source.before < call.index ? source.isChange : looksRandom(value);
  };
}

interface IdSource {
  /** The call that returned it, or the last one before it was said. */
  readonly before: number;
  readonly isChange: boolean;
}

/** Where each of the values is seen first, other than in arguments of the agent. */
function firstSources({ session, callsByTurn, changes }: RuleView, wanted: ReadonlySet<string>): Map<string, IdSource> {
  const sources = new Map<string, IdSource>();
  const changing = new Set<Step>(changes.map(({ step }) => step));
  const indexes = new Map<Step, number>(callsByTurn.flat().map(({ step, index }) => [step, index]));
  let before = -1;
  for (const { value, step } of seenValues(session)) {
    if (step) before = indexes.get(step) ?? before;
    for (const word of wordsOf(value)) {
      if (!wanted.has(word) || sources.has(word)) continue;
      sources.set(word, { before, isChange: step !== undefined && changing.has(step) });
      if (sources.size === wanted.size) return sources;
    }
  }
  return sources;
}

/** What the agent sees, in order; a result with its call. */
function* seenValues({
  system,
  goal,
  profile,
  knowledge = [],
  turns,
}: RuleView['session']): Generator<{ readonly value: unknown; readonly step?: Step }> {
  for (const value of [system, goal, profile, ...knowledge]) yield { value };
  for (const { input, steps } of turns) {
    yield { value: input };
    for (const step of steps) {
      if (step.type === 'tool') yield { value: step.result, step };
      else if (step.type === 'retrieval') yield { value: step.documents };
    }
  }
}

function* wordsOf(value: unknown): Generator<string> {
  for (const leaf of leavesOf(value)) for (const [word] of leaf.matchAll(/[\p{L}\p{N}_-]+/gu)) yield word;
}

/** The texts and numbers in a value. */
function* leavesOf(value: unknown, depth = 0): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'number') yield String(value);
  else if (depth < MAX_DEPTH && Array.isArray(value)) for (const part of value) yield* leavesOf(part, depth + 1);
  else if (depth < MAX_DEPTH && isObject(value)) {
    for (const part of Object.values(value)) yield* leavesOf(part, depth + 1);
  }
}

/** One word with a digit that is not a date. */
function looksLikeId(value: string): boolean {
  if (value.length < MIN_ID || value.length > MAX_ID || !/\d/.test(value) || !/^[\p{L}\p{N}_-]+$/u.test(value))
    return false;
  return !/^\d{4}-\d{2}(?:-\d{2})?$/.test(value);
}

/** A UUID, a long run of hexadecimal digits, or another long mix of letters and digits. */
function looksRandom(value: string): boolean {
  if (/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/i.test(value)) return true;
  return value.split(/[-_]/).some((part) => {
    const digits = part.replace(/\D/g, '').length;
    return /^[\da-f]{12,}$/i.test(part) ? digits > 0 : part.length >= 16 && digits >= 3;
  });
}
