import type { Evidence } from '../../core/result.ts';
import type { Session } from '../../core/session.ts';
import type { FindingLevel } from '../../core/severity.ts';
import { hasSameResult, type IndexedCall, type RuleView } from '../rule-view.ts';
import { stringsIn } from '../shared/json-strings.ts';
import { codeSpan, formatArguments, repeatCount } from '../shared/message-format.ts';
import { looksLikeFinalStep, looksLikePolling } from '../shared/tool-effect.ts';

/** The unproductive repetitions of one tool in one turn. */
export interface Repetition {
  readonly turn: number;
  readonly name: string;
  /** Each with the call that it repeats. */
  readonly repeats: readonly [Repeat, ...Repeat[]];
  /** The length of its longest series of equal calls. It may have begun in an earlier turn with the same message. */
  readonly longest: number;
}

interface Repeat {
  readonly call: IndexedCall;
  readonly before: IndexedCall;
  /** Its position in the series of equal calls: 2 for the first repetition. */
  readonly nth: number;
}

/** From how many equal calls on a finding is one level more severe, and then another. */
const MANY = [5, 20] as const;
const LEVELS = ['info', 'low', 'medium', 'high'] as const satisfies readonly FindingLevel[];

/** How severe a repetition is: a few times may be carelessness, many times is a loop. */
export function repetitionSeverity(ofFew: (typeof LEVELS)[number], times: number): FindingLevel {
  return LEVELS[LEVELS.indexOf(ofFew) + MANY.filter((many) => times >= many).length] ?? 'high';
}

/**
 * Finds calls with the arguments and the result of an earlier call of the same tool, with nothing in between that may
 * have changed something. Grouped by turn and tool.
 */
export function findRepetitions(
  { session }: RuleView,
  calls: readonly IndexedCall[],
  counts: (call: IndexedCall, before: IndexedCall) => boolean,
): Repetition[] {
  const hadSeen = visibilityIn(session);
  const earlier = new Map<string, IndexedCall[]>();
  const requestOf = requestNumbers(session);
  const positions = new Map<IndexedCall, number>();
  const repeats: Repeat[] = [];
  for (const call of calls) {
    const equalCalls = earlier.get(call.key) ?? [];
    const before = lastVisible(equalCalls, call, hadSeen);
    equalCalls.push(call);
    earlier.set(call.key, equalCalls);
    if (before?.epoch === call.epoch && counts(call, before) && hasSameResult(before.step, call.step)) {
      // A user who says something new may have changed something.
      const isSameRequest = requestOf[before.turn] === requestOf[call.turn];
      const nth = isSameRequest ? (positions.get(before) ?? 1) + 1 : 2;
      positions.set(call, nth);
      repeats.push({ call, before, nth });
    }
  }
  return byTurnAndTool(repeats);
}

/** The same number for turns with the same user message: some programs send it again after each tool result. */
function requestNumbers({ turns }: Session): number[] {
  let number = 0;
  let last = '';
  return turns.map(({ input }) => {
    const text = input?.trim() ?? '';
    if (text !== '' && text !== last) {
      number += 1;
      last = text;
    }
    return number;
  });
}

/**
 * Finds calls that a turn made at least `atLeast` times with the same arguments and the same result, with no certain
 * change in between. The effect of the tool itself may be unknown.
 */
export function findFrequentCalls(
  view: RuleView,
  atLeast: number,
  counts: (call: IndexedCall) => boolean,
): Repetition[] {
  const repeats = view.callsByTurn.flatMap((calls) =>
    runsOfEqualCalls(calls, visibilityIn(view.session), counts)
      .filter((run) => run.length >= atLeast)
      .flatMap(([before, ...again]) => (before ? again.map((call, index) => ({ call, before, nth: index + 2 })) : [])),
  );
  return byTurnAndTool(repeats);
}

function runsOfEqualCalls(
  calls: readonly IndexedCall[],
  hadSeen: Visibility,
  counts: (call: IndexedCall) => boolean,
): IndexedCall[][] {
  const runs: IndexedCall[][] = [];
  let open = new Map<string, IndexedCall[]>();
  for (const call of calls) {
    if (call.effect === 'changes' && call.step.outcome !== 'rejected') open = new Map();
    if (!counts(call)) continue;
    const run = open.get(call.key);
    const before = run?.at(-1);
    if (run && before && hadSeen(call, before) && hasSameResult(before.step, call.step)) run.push(call);
    else {
      const newRun = [call];
      runs.push(newRun);
      open.set(call.key, newRun);
    }
  }
  return runs;
}

function byTurnAndTool(repeats: readonly Repeat[]): Repetition[] {
  const groups = new Map<string, { turn: number; name: string; repeats: [Repeat, ...Repeat[]]; longest: number }>();
  for (const repeat of repeats) {
    const { turn, step } = repeat.call;
    const key = `${turn} ${step.name}`;
    const group = groups.get(key);
    if (group) {
      group.repeats.push(repeat);
      group.longest = Math.max(group.longest, repeat.nth);
    } else groups.set(key, { turn, name: step.name, repeats: [repeat], longest: repeat.nth });
  }
  return [...groups.values()];
}

/** Whether the agent had seen the result of an earlier call. */
type Visibility = (call: IndexedCall, before: IndexedCall) => boolean;

function visibilityIn(session: Session): Visibility {
  return isSearchTree(session) ? (call, before) => call.step.pointer.startsWith(`${before.step.pointer}/`) : () => true;
}

/** ToolBench agents backtrack: a call sees only the calls above it in the tree of the file. */
export function isSearchTree({ source }: Session): boolean {
  return source.format === 'toolbench';
}

/** Removes calls on abandoned branches, which later calls cannot see. */
function lastVisible(equalCalls: IndexedCall[], call: IndexedCall, hadSeen: Visibility): IndexedCall | undefined {
  for (let before = equalCalls.at(-1); before; before = equalCalls.at(-1)) {
    if (hadSeen(call, before)) return before;
    equalCalls.pop();
  }
  return undefined;
}

/** A repeated sequence of calls with the same arguments and results. */
export interface CallCycle {
  readonly turn: number;
  /** The number of calls in one round. */
  readonly period: number;
  /** The calls of all rounds, in order. The last round may be incomplete. */
  readonly calls: readonly IndexedCall[];
}

const MIN_PERIOD = 2;
const MAX_PERIOD = 4;
/** A single repetition may be a check. */
const MIN_ROUNDS = 3;

/** Finds sequences of calls that a turn repeated directly one after the other; shorter periods first. */
export function findCallCycles(view: RuleView): CallCycle[] {
  if (isSearchTree(view.session)) return [];
  return view.callsByTurn.flatMap((calls, turn) => {
    const cycles: CallCycle[] = [];
    const covered = new Set<IndexedCall>();
    for (let period = MIN_PERIOD; period <= MAX_PERIOD; period += 1) {
      for (const sequence of sequencesOf(calls, period)) {
        // A repeated single call is not a cycle, and two rounds of two are not a round of four.
        if (sequence.every(({ key }) => key === sequence[0]?.key) || sequence.some((call) => covered.has(call)))
          continue;
        for (const call of sequence) covered.add(call);
        cycles.push({ turn, period, calls: sequence });
      }
    }
    return cycles;
  });
}

function sequencesOf(calls: readonly IndexedCall[], period: number): IndexedCall[][] {
  const sequences: IndexedCall[][] = [];
  let again = 0;
  for (let index = period; index <= calls.length; index += 1) {
    if (isRepeatOf(calls[index], calls[index - period])) {
      again += 1;
      continue;
    }
    if (again >= period * (MIN_ROUNDS - 1)) sequences.push(calls.slice(index - again - period, index));
    again = 0;
  }
  return sequences;
}

function isRepeatOf(call: IndexedCall | undefined, before: IndexedCall | undefined): boolean {
  if (!call || !before || call.key !== before.key) return false;
  const { step, effect } = call;
  return step.outcome === 'ok' && effect !== 'changes' && !isMeantToRepeat(call) && hasSameResult(before.step, step);
}

/** Polling repeats calls by design, and so does finishing several things. */
export function isMeantToRepeat({ step }: IndexedCall): boolean {
  return looksLikePolling(step.name) || looksLikeFinalStep(step.name);
}

/** Shorter results of a tool of unknown effect may be receipts: `done`, `{"success": true}`. */
const MAX_RECEIPT_LENGTH = 100;

/** Whether a result contains information, so that repeating the call was pointless. */
export function isInformative({ step }: IndexedCall): boolean {
  let length = 0;
  for (const text of stringsIn(step.result)) {
    length += text.length;
    if (length > MAX_RECEIPT_LENGTH) return true;
  }
  return false;
}

/** `` `get_order` was called again with `order_id` "A-1001"``, or the number of repetitions. */
export function describeRepetition(repetition: Repetition): string {
  const { name, repeats } = repetition;
  return repeatsOneCall(repetition)
    ? `${codeSpan(name)} was called ${repeatCount(repeats.length)} ${formatArguments(repeats[0].call.step.arguments)}`
    : `${codeSpan(name)} was called ${repeatCount(repeats.length)}, always with the arguments of an earlier call,`;
}

/** Whether all repetitions have the same arguments. */
export function repeatsOneCall({ repeats }: Repetition): boolean {
  return repeats.every(({ call }) => call.key === repeats[0].call.key);
}

/** How many calls the evidence contains. */
const MAX_EVIDENCE = 5;

/** The repetitions, then the calls that they repeat. */
export function repetitionEvidence(view: RuleView, { turn, repeats }: Repetition, note: string): Evidence[] {
  const cited = repeats.slice(0, MAX_EVIDENCE);
  const again = new Set(cited.map(({ call }) => call));
  const originals = new Set(cited.map(({ before }) => before).filter((before) => !again.has(before)));
  return [
    ...cited.map(({ call }) => view.evidence(turn, call.step.pointer, note)),
    ...[...originals].map((call) => view.evidence(call.turn, call.step.pointer, 'the call that it repeats')),
  ];
}
