import { isObject } from '../../core/json.ts';
import { availableTools, type Session, type Step, type Tool, type ToolStep, type Turn } from '../../core/session.ts';
import { type Effect, wordsOf } from '../tool-effect.ts';
import { isDerived } from './derived.ts';
import { misquoted, type Near, nearest } from './nearest.ts';
import { argumentText, feesOf, operandsIn, type Recent, recentOf } from './recent.ts';
import { Seen } from './seen.ts';
import { isSeen, isStatement, isTelling, type Stated, sentenceAround, valuesIn } from './statements.ts';

/** A value that the agent stated, or gave to a call, and that nothing it had seen contains. */
interface Ungrounded {
  readonly turn: number;
  readonly value: Stated;
  /** What a result gives instead, where the answer names it. */
  readonly misquotes: Near | null;
  /** The value of a result that is most like it. */
  readonly near: Near | undefined;
}

interface UngroundedArgument {
  readonly turn: number;
  readonly step: ToolStep;
  /** Of the argument. */
  readonly key: string;
  readonly value: Stated;
  readonly near: Near | undefined;
}

export interface Grounding {
  readonly answers: readonly Ungrounded[];
  readonly arguments: readonly UngroundedArgument[];
}

interface GroundedCall {
  readonly step: ToolStep;
  readonly effect: Effect;
}

interface Context {
  readonly session: Session;
  readonly seen: Seen;
  /** What the instructions name as amounts, found when first asked for. */
  fees(): readonly Stated[];
}

const LONGEST_ANSWER = 50_000;

/**
 * Passes over a session once, and compares what the agent said and did with what it had seen by then. Silent from the
 * first thing on that the trace did not keep: what was seen is unknown then.
 */
export function groundingOf(session: Session, callsByTurn: readonly (readonly GroundedCall[])[]): Grounding {
  const answers: Ungrounded[] = [];
  const args: UngroundedArgument[] = [];
  const seen = new Seen();
  const catalogues = new Set<readonly Tool[]>();
  let fees: readonly Stated[] | undefined;
  const context: Context = {
    session,
    seen,
    fees() {
      fees ??= feesOf(session);
      return fees;
    },
  };
  let grounds = (session.knowledge ?? []).length > 0;
  for (const text of [session.goal, session.profile, session.system, ...(session.knowledge ?? [])]) {
    if (text !== undefined) seen.readWords(text);
  }
  for (const [index, turn] of session.turns.entries()) {
    if (turn.captured === false || (index > 0 && turn.input === null)) break;
    const tools = availableTools(session, turn);
    if (tools && !catalogues.has(tools)) {
      catalogues.add(tools);
      readAll(tools, seen);
    }
    if (turn.startedAt !== undefined) seen.read(turn.startedAt);
    if (turn.input !== null) seen.readWords(turn.input);
    const calls = callsByTurn[index] ?? [];
    let next = 0;
    let known = true;
    for (const [at, step] of turn.steps.entries()) {
      const call = calls[next];
      if (call && call.step === step) {
        next += 1;
        if (call.effect === 'changes') args.push(...ungroundedArguments(context, index, call.step, at));
      }
      known = readStep(step, turn.output, seen);
      grounds ||=
        step.type === 'retrieval' || (step.type === 'tool' && step.result !== undefined) || step.type === 'agent';
      if (!known) break;
    }
    if (!known) break;
    if (turn.output === null) continue;
    if (grounds) answers.push(...ungroundedValues(context, index, turn.output.slice(0, LONGEST_ANSWER)));
    seen.read(turn.output);
  }
  return { answers, arguments: args };
}

/** Returns whether the trace kept all that the agent saw of it. */
function readStep(step: Step, output: string | null, seen: Seen): boolean {
  switch (step.type) {
    case 'tool':
      readAll(step.arguments, seen, output);
      if (step.error !== undefined) seen.read(step.error);
      readAll(step.result, seen);
      if (step.outcome === 'rejected') return true;
      return (step.result !== undefined || step.error !== undefined) && !isCut(step.result);
    case 'retrieval':
      for (const { id, text } of step.documents) {
        if (id !== undefined) seen.read(id);
        seen.read(text);
      }
      return true;
    case 'agent':
      return readTurns(step.turns, seen);
    case 'model':
      // What another agent of the conversation says is news; what the agent itself says is none.
      if (step.speaker !== undefined && step.text !== undefined && step.text !== output) seen.read(step.text);
      readWork(step.reasoning ?? '', seen);
      if (step.text !== output) readWork(step.text ?? '', seen);
      return true;
  }
}

/** All that a sub-agent said and saw. */
function readTurns(turns: readonly Turn[], seen: Seen): boolean {
  const waiting = [...turns];
  let known = waiting.length > 0;
  for (let turn = waiting.pop(); turn; turn = waiting.pop()) {
    if (turn.captured === false) known = false;
    if (turn.input !== null) seen.read(turn.input);
    if (turn.output !== null) seen.read(turn.output);
    for (const step of turn.steps) {
      if (step.type === 'agent') for (const inner of step.turns) waiting.push(inner);
      else known = readStep(step, null, seen) && known;
    }
  }
  return known;
}

/** Outcomes of calculations that the agent shows. */
function readWork(text: string, seen: Seen): void {
  for (const [, shown = ''] of text.matchAll(/[=≈]\s?([$€£¥₹]?\d[\d.,]{0,20})/g)) seen.read(shown);
}

/** Every text, number and key of a value, without recursion. @param except a text that is the answer itself */
function readAll(root: unknown, seen: Seen, except: string | null = null): void {
  const waiting = [root];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') {
      if (except === null || next.length < except.length || next.trim() !== except.trim()) seen.read(next);
    } else if (typeof next === 'number') seen.figure(Math.abs(next));
    else if (Array.isArray(next)) for (const inner of next) waiting.push(inner);
    else if (isObject(next)) {
      for (const [key, inner] of Object.entries(next)) {
        seen.read(key);
        waiting.push(inner);
      }
    }
  }
}

const CUT =
  /(?:\.\.\.|…)[\s"'\])}]{0,5}$|\btruncated\b|\b(?:characters|lines|tokens|bytes|more items) (?:omitted|truncated|removed)/i;

/** Whether a result was kept in part only. */
function isCut(result: unknown): boolean {
  return typeof result === 'string' && result.length > 200 && CUT.test(result.slice(-200));
}

const MOST_UNSEEN = 200;
const MOST_LOOKED_AT = 20;
const RELATIVE_DAY =
  /\b(?:to(?:day|morrow|night)|yesterday|next|following|previous|prior|weeks?|weekends?|weekdays?|days?|months?|later|earlier|ago|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/i;

/** Days that are put forward, not stated. */
const PROPOSAL =
  /\b(?:would you|could|shall|may|might|options?|expand|search|propos\w+|suggest\w*|alternatives?|between|through|range|if)\b|\?/i;

function ungroundedValues({ session, seen, fees }: Context, turn: number, answer: string): Ungrounded[] {
  const unseen = distinct(
    valuesIn(answer).filter((value) => !isSeen(value, seen) && (value.kind === 'time' || isTelling(answer, value))),
  )
    .slice(0, MOST_UNSEEN)
    .filter((value) => isStatement(answer, value));
  if (unseen.length === 0) return [];
  const recent = recentOf(session, turn);
  const operandsOf = operandsIn(answer, recent, fees());
  const input = session.turns[turn]?.input ?? '';
  return unseen.slice(0, MOST_LOOKED_AT).flatMap((value) => {
    const misquotes = value.kind === 'id' ? null : misquoted(answer, value, recent);
    const found = { turn, value, misquotes, near: nearest(value, recent) };
    if (misquotes?.sure) return [found];
    // What is not kept of the instructions may have told it, unless a result tells almost the same.
    if (session.system === undefined && misquotes === null && found.near === undefined) return [];
    if (value.kind === 'figure') return isDerived(value, operandsOf(value)) ? [] : [found];
    if (misquotes !== null && !RELATIVE_DAY.test(sentenceAround(answer, value))) return [found];
    return isTelling(answer, value) && !isExplained(value, answer, input, seen) ? [found] : [];
  });
}

/** Whether it follows from what was seen in another way than by calculation. */
function isExplained(value: Stated, answer: string, input: string, seen: Seen): boolean {
  switch (value.kind) {
    case 'figure':
      return false;
    case 'day':
      if (value.year !== 0 && !seen.hasYear(value.year)) return false;
      return (
        RELATIVE_DAY.test(input.slice(0, 2000)) ||
        RELATIVE_DAY.test(sentenceAround(answer, value)) ||
        PROPOSAL.test(sentenceAround(answer, value)) ||
        seen.hasNeighbour(value.year, value.month, value.day)
      );
    case 'time':
      return seen.zoned && seen.hasMinutesOf(value.minutes);
    case 'id':
      return !seen.hasFamilyOf(value.text) && !NAMES_ID.test(answer.slice(Math.max(0, value.at - 50), value.at));
  }
}

/** What an identifier is introduced with. */
const NAMES_ID =
  /(?:^|[^a-z])(?:number|id|code|reference|ref|confirmation|ticket|order|tracking|reservation|booking|case|invoice|receipt|transaction|flight|account|e-?mail)(?![a-z])[^.\n]{0,20}$/i;

function distinct(values: readonly Stated[]): Stated[] {
  const seen = new Set<string>();
  return values.filter(({ text }) => !seen.has(text) && seen.add(text));
}

/** Keys whose values are written by the agent, and keys of figures that are chosen and not known. */
const FREE_KEY =
  /\b(?:name|title|slug|label|path|file|filename|url|uri|content|body|text|message|description|reason|note|notes|comment|summary|thought|query|command|script|prompt|subject|idempotency|nonce|uuid|request|password|version|color|colour)\b/;
const ID_KEY = /\b(?:ids?|number|no|sku|account|code)$/;
const CREATES = new Set('create add register insert new put set save upload schedule'.split(' '));
const MOST_ARGUMENTS = 500;
const AMOUNT_KEY = /\b(?:amount|price|total|cost|fee|refund|payment|balance|charge|credit|deposit|fare)\b/;

function ungroundedArguments(
  { session, seen, fees }: Context,
  turn: number,
  step: ToolStep,
  at: number,
): UngroundedArgument[] {
  const found: UngroundedArgument[] = [];
  const waiting: { readonly value: unknown; readonly key: string }[] = [{ value: step.arguments, key: '' }];
  let recent: Recent | undefined;
  for (let looked = 0; waiting.length > 0 && looked < MOST_ARGUMENTS && found.length < MOST_LOOKED_AT; looked += 1) {
    const { value: given, key } = waiting.pop() ?? { value: null, key: '' };
    if (typeof given === 'object' && given !== null) {
      const inner = Object.entries(given).slice(0, MOST_ARGUMENTS).reverse();
      for (const [name, value] of inner) waiting.push({ value, key: Array.isArray(given) ? key : name });
      continue;
    }
    const value = specificValue(given);
    if (!value || isSeen(value, seen)) continue;
    const role = roleOf(key, value, step.name);
    if (role === null) continue;
    // What is not kept of the instructions may have named it.
    if (role === 'id' && session.system === undefined && !seen.hasFamilyOf(value.text)) continue;
    recent ??= recentOf(session, turn, at);
    const near = nearest(value, recent);
    if (role === 'amount' && value.kind === 'figure') {
      if (session.system === undefined && near === undefined) continue;
      if (isDerived(value, operandsIn(argumentText(step), recent, fees())(value))) continue;
    }
    found.push({ turn, step, key, value, near });
  }
  return found;
}

/** What an argument holds, if it holds nothing but one identifier or one figure. */
function specificValue(given: unknown): Stated | undefined {
  const text = typeof given === 'number' ? String(Math.abs(given)) : given;
  if (typeof text !== 'string' || text.length < 2 || text.length > 80 || !/\d/.test(text)) return undefined;
  const [first, ...others] = valuesIn(text);
  return first && others.length === 0 && first.end - first.at >= text.trim().length - 2 ? first : undefined;
}

/** What an argument is, by its key; null where the agent writes it itself, or nothing tells. */
function roleOf(key: string, value: Stated, tool: string): 'id' | 'amount' | null {
  const words = wordsOf(key);
  const name = words.join(' ');
  if (FREE_KEY.test(name) || namesWhatIsCreated(words, wordsOf(tool))) return null;
  if (value.kind === 'id') return value.text.length >= 4 ? 'id' : null;
  if (value.kind !== 'figure') return null;
  if (AMOUNT_KEY.test(name)) return 'amount';
  return ID_KEY.test(name) && value.text.length >= 4 && Number.isInteger(value.amount) ? 'id' : null;
}

/** `create_task` may be told the `task_id` that the new task shall have. */
function namesWhatIsCreated(key: readonly string[], tool: readonly string[]): boolean {
  const noun = key.filter((word) => word !== 'id');
  return key.includes('id') && tool.some((word) => CREATES.has(word)) && noun.every((word) => tool.includes(word));
}
