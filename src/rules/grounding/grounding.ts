import type { Session, ToolStep } from '../../core/session.ts';
import { once, oncePer } from '../once.ts';
import { type Effect, wordsOf } from '../tool-effect.ts';
import { isDerived } from './derived.ts';
import { Memory } from './memory.ts';
import { misquoted, type Near, nearest } from './nearest.ts';
import { ONE_DAY, type Period, periodsIn, periodsOf } from './periods.ts';
import { argumentText, feesOf, Lately, operandsIn, type Recent } from './recent.ts';
import type { Seen } from './seen.ts';
import { isOfSeenNumber, isSeen, isStatement, isTelling, type Stated, sentenceAround, valuesIn } from './statements.ts';

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
  readonly memory: Memory;
  readonly lately: Lately;
  /** What the instructions name as amounts, found when first asked for. */
  fees(): readonly Stated[];
  /** The periods that they name. */
  periods(): readonly Period[];
  roleOf(tool: string): (key: string) => KeyRole;
}

const LONGEST_ANSWER = 50_000;

/**
 * Passes over a session once, and compares what the agent said and did with what it had seen by then. Silent from the
 * first thing on that the trace did not keep: what was seen is unknown then.
 */
export function groundingOf(
  session: Session,
  callsByTurn: readonly (readonly GroundedCall[])[],
  turnsWithDigits: ReadonlySet<number>,
): Grounding {
  const answers: Ungrounded[] = [];
  const args: UngroundedArgument[] = [];
  const context: Context = {
    session,
    memory: new Memory(session, turnsWithDigits),
    lately: new Lately(session),
    fees: once(() => feesOf(session)),
    periods: once(() => periodsOf(session)),
    roleOf: oncePer((tool: string) => oncePer((key: string) => roleOfKey(key, tool))),
  };
  for (const [index, turn] of session.turns.entries()) {
    if (context.memory.isLost) break;
    const changing = (callsByTurn[index] ?? []).filter(({ effect }) => effect === 'changes');
    if (changing.length > 0) {
      const steps = new Set(changing.map(({ step }) => step));
      for (const [at, step] of turn.steps.entries()) {
        if (step.type === 'tool' && steps.has(step)) args.push(...ungroundedArguments(context, index, step, at));
      }
    }
    if (turn.output !== null && turnsWithDigits.has(index))
      answers.push(...ungroundedValues(context, index, turn.output.slice(0, LONGEST_ANSWER)));
  }
  return { answers, arguments: args };
}

const MOST_UNSEEN = 200;
const MOST_LOOKED_AT = 20;
const RELATIVE_DAY =
  /\b(?:to(?:day|morrow|night)|yesterday|next|following|previous|prior|weeks?|weekends?|weekdays?|days?|months?|later|earlier|ago|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/i;

/** Days that are put forward, not stated. */
const PROPOSAL =
  /\b(?:would you|could|shall|may|might|options?|expand|search|propos\w+|suggest\w*|alternatives?|between|through|range|if)\b|\?/i;

function ungroundedValues(
  { session, memory, lately, fees, periods }: Context,
  turn: number,
  answer: string,
): Ungrounded[] {
  const telling = valuesIn(answer).filter((value) => value.kind === 'time' || isTelling(answer, value));
  const seen = telling.length > 0 ? memory.before(turn) : null;
  if (seen === null || !memory.hasGrounds) return [];
  const unseen = distinct(telling.filter((value) => !isSeen(value, seen) && !isOfSeenNumber(answer, value, seen)))
    .slice(0, MOST_UNSEEN)
    .filter((value) => isStatement(answer, value));
  if (unseen.length === 0) return [];
  const recent = lately.before(turn);
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
    const named = () => [...periods(), ...periodsIn([answer, ...recent.texts()])];
    return isTelling(answer, value) && !isExplained(value, answer, input, seen, named) ? [found] : [];
  });
}

/** Whether it follows from what was seen in another way than by calculation. */
function isExplained(
  value: Stated,
  answer: string,
  input: string,
  seen: Seen,
  periods: () => readonly Period[],
): boolean {
  switch (value.kind) {
    case 'figure':
      return false;
    case 'day':
      if (value.year !== 0 && !seen.hasYear(value.year)) return false;
      return (
        RELATIVE_DAY.test(input.slice(0, 2000)) ||
        RELATIVE_DAY.test(sentenceAround(answer, value)) ||
        PROPOSAL.test(sentenceAround(answer, value)) ||
        [ONE_DAY, ...periods()].some((period) => seen.hasDayApart(value.year, value.month, value.day, period))
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
  { session, memory, lately, fees, roleOf }: Context,
  turn: number,
  step: ToolStep,
  at: number,
): UngroundedArgument[] {
  const found: UngroundedArgument[] = [];
  const waiting: { readonly value: unknown; readonly key: string }[] = [{ value: step.arguments, key: '' }];
  const roleOfArgument = roleOf(step.name);
  let recent: Recent | undefined;
  for (let looked = 0; waiting.length > 0 && looked < MOST_ARGUMENTS && found.length < MOST_LOOKED_AT; looked += 1) {
    const { value: given, key } = waiting.pop() ?? { value: null, key: '' };
    if (typeof given === 'object' && given !== null) {
      const inner = Object.entries(given).slice(0, MOST_ARGUMENTS).reverse();
      for (const [name, value] of inner) waiting.push({ value, key: Array.isArray(given) ? key : name });
      continue;
    }
    const says = roleOfArgument(key);
    const value = says === null ? undefined : specificValue(given);
    const role = value ? roleOfValue(value, says) : null;
    if (!value || role === null) continue;
    const seen = memory.before(turn, at);
    if (seen === null) break;
    if (isSeen(value, seen)) continue;
    // What is not kept of the instructions may have named it.
    if (role === 'id' && session.system === undefined && !seen.hasFamilyOf(value.text)) continue;
    recent ??= lately.before(turn, at);
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

/** What a key says of its value; null where the agent writes the value itself. */
type KeyRole = 'amount' | 'id' | 'unknown' | null;

function roleOfKey(key: string, tool: string): KeyRole {
  const words = wordsOf(key);
  const name = words.join(' ');
  if (FREE_KEY.test(name) || namesWhatIsCreated(words, wordsOf(tool))) return null;
  if (AMOUNT_KEY.test(name)) return 'amount';
  return ID_KEY.test(name) ? 'id' : 'unknown';
}

/** What an argument is; null where it is free, or nothing tells. */
function roleOfValue(value: Stated, key: KeyRole): 'id' | 'amount' | null {
  if (key === null) return null;
  if (value.kind === 'id') return value.text.length >= 4 ? 'id' : null;
  if (value.kind !== 'figure') return null;
  if (key === 'amount') return 'amount';
  return key === 'id' && value.text.length >= 4 && Number.isInteger(value.amount) ? 'id' : null;
}

/** `create_task` may be told the `task_id` that the new task shall have. */
function namesWhatIsCreated(key: readonly string[], tool: readonly string[]): boolean {
  const noun = key.filter((word) => word !== 'id');
  return key.includes('id') && tool.some((word) => CREATES.has(word)) && noun.every((word) => tool.includes(word));
}
