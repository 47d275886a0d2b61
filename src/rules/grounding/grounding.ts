import { lazy, memoize } from '../../core/cache/memoize.ts';
import type { Session, ToolStep } from '../../core/session.ts';
import { nameWords, type ToolEffect } from '../shared/tool-effect.ts';
import { ContextValues } from './context-values.ts';
import type { ObservedValues } from './observed-values.ts';
import { createDerivationTest, feesInInstructions } from './operands.ts';
import { ONE_DAY, type Period, parsePeriods, periodsInInstructions } from './periods.ts';
import { argumentText, type RecentContext, RecentValues } from './recent-values.ts';
import { closestMatch, findMisquote, type ResultMatch } from './result-matches.ts';
import {
  isObserved,
  isPartOfObservedNumber,
  isSpecificValue,
  isStatedAsFact,
  parseValues,
  type StatedValue,
  sentenceAround,
} from './stated-values.ts';

/** A value that the agent stated or passed to a call, and that appears in nothing it had seen. */
interface UngroundedValue {
  readonly turn: number;
  readonly value: StatedValue;
  /** The value of a result that the answer misquotes. */
  readonly misquote: ResultMatch | null;
  /** The most similar value of a result. */
  readonly closest: ResultMatch | undefined;
}

interface UngroundedArgument {
  readonly turn: number;
  readonly step: ToolStep;
  /** The key of the argument. */
  readonly key: string;
  readonly value: StatedValue;
  readonly closest: ResultMatch | undefined;
}

export interface Grounding {
  readonly answers: readonly UngroundedValue[];
  readonly arguments: readonly UngroundedArgument[];
}

interface CallWithEffect {
  readonly step: ToolStep;
  readonly effect: ToolEffect;
}

interface GroundingContext {
  readonly session: Session;
  readonly contextValues: ContextValues;
  readonly recentValues: RecentValues;
  /** The amounts in the instructions. */
  fees(): readonly StatedValue[];
  /** The periods in the instructions. */
  periods(): readonly Period[];
  roleOf(tool: string): (key: string) => KeyRole;
}

const MAX_ANSWER_LENGTH = 50_000;

/**
 * Compares what the agent said and did with what it had seen by then, in one pass over the session. Stops at the first
 * content that the trace did not record, since what was seen is unknown from there on.
 */
export function checkGrounding(
  session: Session,
  callsByTurn: readonly (readonly CallWithEffect[])[],
  turnsWithDigits: ReadonlySet<number>,
): Grounding {
  const answers: UngroundedValue[] = [];
  const args: UngroundedArgument[] = [];
  const context: GroundingContext = {
    session,
    contextValues: new ContextValues(session, turnsWithDigits),
    recentValues: new RecentValues(session),
    fees: lazy(() => feesInInstructions(session)),
    periods: lazy(() => periodsInInstructions(session)),
    roleOf: memoize((tool: string) => memoize((key: string) => keyRole(key, tool))),
  };
  for (const [index, turn] of session.turns.entries()) {
    if (context.contextValues.isIncomplete) break;
    const changing = (callsByTurn[index] ?? []).filter(({ effect }) => effect === 'changes');
    if (changing.length > 0) {
      const steps = new Set(changing.map(({ step }) => step));
      for (const [at, step] of turn.steps.entries()) {
        if (step.type === 'tool' && steps.has(step)) args.push(...ungroundedArguments(context, index, step, at));
      }
    }
    if (turn.output !== null && turnsWithDigits.has(index))
      answers.push(...ungroundedValues(context, index, turn.output.slice(0, MAX_ANSWER_LENGTH)));
  }
  return { answers, arguments: args };
}

const MAX_UNOBSERVED = 200;
const MAX_CHECKED = 20;
const RELATIVE_DAY =
  /\b(?:to(?:day|morrow|night)|yesterday|next|following|previous|prior|weeks?|weekends?|weekdays?|days?|months?|later|earlier|ago|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/i;

/** Proposed days, which are not statements. */
const PROPOSAL =
  /\b(?:would you|could|shall|may|might|options?|expand|search|propos\w+|suggest\w*|alternatives?|between|through|range|if)\b|\?/i;

function ungroundedValues(
  { session, contextValues, recentValues, fees, periods }: GroundingContext,
  turn: number,
  answer: string,
): UngroundedValue[] {
  const specific = parseValues(answer).filter((value) => value.kind === 'time' || isSpecificValue(answer, value));
  const observed = specific.length > 0 ? contextValues.before(turn) : null;
  if (observed === null || !contextValues.hasSources) return [];
  const unobserved = distinctValues(
    specific.filter((value) => !isObserved(value, observed) && !isPartOfObservedNumber(answer, value, observed)),
  )
    .slice(0, MAX_UNOBSERVED)
    .filter((value) => isStatedAsFact(answer, value));
  if (unobserved.length === 0) return [];
  const recent = recentValues.before(turn);
  const isDerived = createDerivationTest(answer, recent, fees());
  const input = session.turns[turn]?.input ?? '';
  return unobserved.slice(0, MAX_CHECKED).flatMap((value) => {
    const misquote = value.kind === 'id' ? null : findMisquote(answer, value, recent);
    const finding = { turn, value, misquote, closest: closestMatch(value, recent) };
    if (misquote?.isCertain) return [finding];
    // Unrecorded instructions may contain the value, unless a result has almost the same one.
    if (session.system === undefined && misquote === null && finding.closest === undefined) return [];
    if (value.kind === 'figure') return isDerived(value) ? [] : [finding];
    if (misquote !== null && !RELATIVE_DAY.test(sentenceAround(answer, value))) return [finding];
    const namedPeriods = () => [...periods(), ...parsePeriods([answer, ...recent.texts()])];
    return isSpecificValue(answer, value) && !isExplained(value, answer, input, observed, namedPeriods)
      ? [finding]
      : [];
  });
}

/** Whether the value follows from what was seen in another way than by calculation. */
function isExplained(
  value: StatedValue,
  answer: string,
  input: string,
  observed: ObservedValues,
  periods: () => readonly Period[],
): boolean {
  switch (value.kind) {
    case 'figure':
      return false;
    case 'day':
      if (value.year !== 0 && !observed.hasYear(value.year)) return false;
      return (
        RELATIVE_DAY.test(input.slice(0, 2000)) ||
        RELATIVE_DAY.test(sentenceAround(answer, value)) ||
        PROPOSAL.test(sentenceAround(answer, value)) ||
        [ONE_DAY, ...periods()].some((period) => observed.hasDayApart(value.year, value.month, value.day, period))
      );
    case 'time':
      return observed.hasTimeZone && observed.hasMinutesOf(value.minutes);
    case 'id':
      return !observed.hasFamilyOf(value.text) && !ID_LABEL.test(answer.slice(Math.max(0, value.at - 50), value.at));
  }
}

/** A label before an identifier. */
const ID_LABEL =
  /(?:^|[^a-z])(?:number|id|code|reference|ref|confirmation|ticket|order|tracking|reservation|booking|case|invoice|receipt|transaction|flight|account|e-?mail)(?![a-z])[^.\n]{0,20}$/i;

function distinctValues(values: readonly StatedValue[]): StatedValue[] {
  const seen = new Set<string>();
  return values.filter(({ text }) => !seen.has(text) && seen.add(text));
}

/** Keys whose values the agent writes itself, or whose figures are chosen. */
const AUTHORED_KEY =
  /\b(?:name|title|slug|label|path|file|filename|url|uri|content|body|text|message|description|reason|note|notes|comment|summary|thought|query|command|script|prompt|subject|idempotency|nonce|uuid|request|password|version|color|colour)\b/;
const ID_KEY = /\b(?:ids?|number|no|sku|account|code)$/;
const CREATION_VERBS = new Set('create add register insert new put set save upload schedule'.split(' '));
const MAX_ARGUMENTS = 500;
const AMOUNT_KEY = /\b(?:amount|price|total|cost|fee|refund|payment|balance|charge|credit|deposit|fare)\b/;

function ungroundedArguments(
  { session, contextValues, recentValues, fees, roleOf }: GroundingContext,
  turn: number,
  step: ToolStep,
  at: number,
): UngroundedArgument[] {
  const ungrounded: UngroundedArgument[] = [];
  const pending: { readonly value: unknown; readonly key: string }[] = [{ value: step.arguments, key: '' }];
  const roleOfArgument = roleOf(step.name);
  let recent: RecentContext | undefined;
  for (
    let visited = 0;
    pending.length > 0 && visited < MAX_ARGUMENTS && ungrounded.length < MAX_CHECKED;
    visited += 1
  ) {
    const { value: argument, key } = pending.pop() ?? { value: null, key: '' };
    if (typeof argument === 'object' && argument !== null) {
      const inner = Object.entries(argument).slice(0, MAX_ARGUMENTS).reverse();
      for (const [name, value] of inner) pending.push({ value, key: Array.isArray(argument) ? key : name });
      continue;
    }
    const suggestedRole = roleOfArgument(key);
    const value = suggestedRole === null ? undefined : specificValue(argument);
    const role = value ? valueRole(value, suggestedRole) : null;
    if (!value || role === null) continue;
    const observed = contextValues.before(turn, at);
    if (observed === null) break;
    if (isObserved(value, observed)) continue;
    // Unrecorded instructions may contain it.
    if (role === 'id' && session.system === undefined && !observed.hasFamilyOf(value.text)) continue;
    recent ??= recentValues.before(turn, at);
    const closest = closestMatch(value, recent);
    if (role === 'amount' && value.kind === 'figure') {
      if (session.system === undefined && closest === undefined) continue;
      if (createDerivationTest(argumentText(step), recent, fees())(value)) continue;
    }
    ungrounded.push({ turn, step, key, value, closest });
  }
  return ungrounded;
}

/** The value of an argument that consists of a single identifier or figure. */
function specificValue(argument: unknown): StatedValue | undefined {
  const text = typeof argument === 'number' ? String(Math.abs(argument)) : argument;
  if (typeof text !== 'string' || text.length < 2 || text.length > 80 || !/\d/.test(text)) return undefined;
  const [first, ...others] = parseValues(text);
  return first && others.length === 0 && first.end - first.at >= text.trim().length - 2 ? first : undefined;
}

/** The kind of value a key suggests; null if the agent writes the value itself. */
type KeyRole = 'amount' | 'id' | 'unknown' | null;

function keyRole(key: string, tool: string): KeyRole {
  const words = nameWords(key);
  const name = words.join(' ');
  if (AUTHORED_KEY.test(name) || namesNewEntity(words, nameWords(tool))) return null;
  if (AMOUNT_KEY.test(name)) return 'amount';
  return ID_KEY.test(name) ? 'id' : 'unknown';
}

/** The kind of value in an argument; null if it is free or unknown. */
function valueRole(value: StatedValue, key: KeyRole): 'id' | 'amount' | null {
  if (key === null) return null;
  if (value.kind === 'id') return value.text.length >= 4 ? 'id' : null;
  if (value.kind !== 'figure') return null;
  if (key === 'amount') return 'amount';
  return key === 'id' && value.text.length >= 4 && Number.isInteger(value.amount) ? 'id' : null;
}

/** The `task_id` argument of `create_task` may name the new task. */
function namesNewEntity(key: readonly string[], tool: readonly string[]): boolean {
  const noun = key.filter((word) => word !== 'id');
  return (
    key.includes('id') && tool.some((word) => CREATION_VERBS.has(word)) && noun.every((word) => tool.includes(word))
  );
}
