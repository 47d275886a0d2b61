import { agentToolCalls, type ExpectedCall, type Session, type ToolStep, type Turn } from '../../core/session.ts';
import { alignCalls, toCallSignature } from '../../metrics/shared/call-matching.ts';
import { type ArgumentComparison, compareArguments } from './argument-changes.ts';

/**
 * An expected call beside the call that was made: the same, the same at another place, one with other arguments, one
 * that was not made, or one that nothing expected.
 */
export interface ComparedCall extends ArgumentComparison {
  readonly match: 'same' | 'moved' | 'arguments' | 'missing' | 'unexpected';
  readonly name: string;
  /** Of the expected call; of the call that was made if none was expected. */
  readonly arguments: ToolStep['arguments'];
  /** The call that was made, and its turn; null if it was not made. */
  readonly made: { readonly turn: number; readonly call: ToolStep } | null;
}

/** Null where nothing is expected of the turn, or it was not recorded. */
export function compareTurnCalls(turn: Turn, index: number): readonly ComparedCall[] | null {
  const { reference, captured } = turn;
  if (!reference?.toolCalls || captured === false) return null;
  const made = agentToolCalls(turn).map((call) => ({ turn: index, call }));
  return compare(reference.toolCalls, made, reference.orderMatters ?? true);
}

/** The calls expected over the whole session; null where there are none. */
export function compareSessionCalls({ reference, turns }: Session): readonly ComparedCall[] | null {
  if (!reference?.toolCalls) return null;
  const made = turns.flatMap((turn, index) => agentToolCalls(turn).map((call) => ({ turn: index, call })));
  return compare(reference.toolCalls, made, false);
}

/** An expected call that was not made, or with other arguments. */
export interface MissedCall {
  readonly match: 'missing' | 'arguments';
  readonly name: string;
  /** Where it was made with other arguments, else where it was expected; null: anywhere in the session. */
  readonly turn: number | null;
}

/** Those expected of the session, and of its turns. */
export function missedCalls(session: Session): readonly MissedCall[] {
  const missed = (compared: readonly ComparedCall[] | null, turn: number | null) =>
    (compared ?? []).flatMap(({ match, name, made }): MissedCall[] =>
      match === 'missing' || match === 'arguments' ? [{ match, name, turn: made?.turn ?? turn }] : [],
    );
  const ofTurns = session.turns.flatMap((turn, index) => missed(compareTurnCalls(turn, index), index));
  return [...missed(compareSessionCalls(session), null), ...ofTurns];
}

type MadeCall = NonNullable<ComparedCall['made']>;

/** Longer lists are compared without their order, which takes the product of their lengths. */
const MAX_ORDERED = 40_000;

function compare(expected: readonly ExpectedCall[], made: readonly MadeCall[], ordered: boolean): ComparedCall[] {
  const wanted = expected.map(toCallSignature);
  const actual = made.map(({ call }) => call);
  const isShort = wanted.length * actual.length <= MAX_ORDERED;
  const alignment = alignCalls(wanted, actual, { ordered: ordered && isShort, ignoreArguments: false });
  const compared = wanted.map(({ name, arguments: args }, index): ComparedCall => {
    const match = alignment.matches[index];
    const found = (match && made[match.actual]) ?? null;
    if (!match || !found) return { match: 'missing', name, arguments: args, made: null, changes: [], equal: 0 };
    return { match: match.kind, name, arguments: args, made: found, ...compareArguments(args, found.call.arguments) };
  });
  const unexpected = alignment.unexpected.flatMap((index): ComparedCall[] => {
    const found = made[index];
    if (!found) return [];
    const { name, arguments: args } = found.call;
    return [{ match: 'unexpected', name, arguments: args, made: found, changes: [], equal: 0 }];
  });
  return [...compared, ...unexpected];
}
