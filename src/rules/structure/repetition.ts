import type { Evidence } from '../../core/result.ts';
import type { Session } from '../../core/session.ts';
import { hasSameResult, type IndexedCall, type RuleView } from '../rule-view.ts';
import { stringsIn } from '../shared/json-strings.ts';
import { codeSpan, formatArguments, repeatCount } from '../shared/message-format.ts';
import { looksLikeFinalStep, looksLikePolling } from '../shared/tool-effect.ts';

/** What one turn repeated of one tool, in vain. */
export interface Repetition {
  readonly turn: number;
  readonly name: string;
  /** Each with the call that it repeats. */
  readonly repeats: readonly [Repeat, ...Repeat[]];
}

interface Repeat {
  readonly call: IndexedCall;
  readonly before: IndexedCall;
}

/**
 * Calls with the arguments and the result of an earlier call of that tool, with nothing that may have changed
 * something in between; gathered by turn and tool.
 */
export function findRepetitions(
  { session }: RuleView,
  calls: readonly IndexedCall[],
  counts: (call: IndexedCall, before: IndexedCall) => boolean,
): Repetition[] {
  const hadSeen = visibilityIn(session);
  const earlier = new Map<string, IndexedCall[]>();
  const repeats: Repeat[] = [];
  for (const call of calls) {
    const alike = earlier.get(call.key) ?? [];
    const before = lastVisible(alike, call, hadSeen);
    alike.push(call);
    earlier.set(call.key, alike);
    if (before?.epoch === call.epoch && counts(call, before) && hasSameResult(before.step, call.step)) {
      repeats.push({ call, before });
    }
  }
  return byTurnAndTool(repeats);
}

/**
 * Calls that a turn made so many times with the same arguments and the same result, and with nothing in between that
 * plainly changed something. What the tool itself does may be unknown.
 */
export function findFrequentCalls(
  view: RuleView,
  atLeast: number,
  counts: (call: IndexedCall) => boolean,
): Repetition[] {
  const repeats = view.callsByTurn.flatMap((calls) =>
    runsOfEqualCalls(calls, visibilityIn(view.session), counts)
      .filter((run) => run.length >= atLeast)
      .flatMap(([before, ...again]) => (before ? again.map((call) => ({ call, before })) : [])),
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
      const begun = [call];
      runs.push(begun);
      open.set(call.key, begun);
    }
  }
  return runs;
}

function byTurnAndTool(repeats: readonly Repeat[]): Repetition[] {
  const found = new Map<string, { turn: number; name: string; repeats: [Repeat, ...Repeat[]] }>();
  for (const repeat of repeats) {
    const { turn, step } = repeat.call;
    const key = `${turn} ${step.name}`;
    const known = found.get(key);
    if (known) known.repeats.push(repeat);
    else found.set(key, { turn, name: step.name, repeats: [repeat] });
  }
  return [...found.values()];
}

/** Whether who made a call had seen what an earlier one came back with. */
type Visibility = (call: IndexedCall, before: IndexedCall) => boolean;

function visibilityIn(session: Session): Visibility {
  return isSearchTree(session) ? (call, before) => call.step.pointer.startsWith(`${before.step.pointer}/`) : () => true;
}

/**
 * The agents of ToolBench go back and try anew without what they saw on the way that they left: a call knows of those
 * alone that it stands below in the file.
 */
export function isSearchTree({ source }: Session): boolean {
  return source.format === 'toolbench';
}

/** Takes away what lies on branches that were left: none of it will be seen again. */
function lastVisible(alike: IndexedCall[], call: IndexedCall, hadSeen: Visibility): IndexedCall | undefined {
  for (let before = alike.at(-1); before; before = alike.at(-1)) {
    if (hadSeen(call, before)) return before;
    alike.pop();
  }
  return undefined;
}

/** A sequence of calls that came again and again, with the same arguments and results. */
export interface CallCycle {
  readonly turn: number;
  /** How many calls one round has. */
  readonly period: number;
  /** Of all rounds, in order; the last round may be broken off. */
  readonly calls: readonly IndexedCall[];
}

const MIN_PERIOD = 2;
const MAX_PERIOD = 4;
/** The first time and twice more: what came once again may be a check. */
const MIN_ROUNDS = 3;

/** Sequences of calls that a turn made again and again, one after the other; the shorter rounds first. */
export function findCallCycles(view: RuleView): CallCycle[] {
  if (isSearchTree(view.session)) return [];
  return view.callsByTurn.flatMap((calls, turn) => {
    const found: CallCycle[] = [];
    const taken = new Set<IndexedCall>();
    for (let period = MIN_PERIOD; period <= MAX_PERIOD; period += 1) {
      for (const sequence of sequencesOf(calls, period)) {
        // One call over and over is no circle, and two rounds of two are no round of four.
        if (sequence.every(({ key }) => key === sequence[0]?.key) || sequence.some((call) => taken.has(call))) continue;
        for (const call of sequence) taken.add(call);
        found.push({ turn, period, calls: sequence });
      }
    }
    return found;
  });
}

function sequencesOf(calls: readonly IndexedCall[], period: number): IndexedCall[][] {
  const found: IndexedCall[][] = [];
  let again = 0;
  for (let at = period; at <= calls.length; at += 1) {
    if (isRepeatOf(calls[at], calls[at - period])) {
      again += 1;
      continue;
    }
    if (again >= period * (MIN_ROUNDS - 1)) found.push(calls.slice(at - again - period, at));
    again = 0;
  }
  return found;
}

function isRepeatOf(call: IndexedCall | undefined, before: IndexedCall | undefined): boolean {
  if (!call || !before || call.key !== before.key) return false;
  const { step, effect } = call;
  return step.outcome === 'ok' && effect !== 'changes' && !isMeantToRepeat(call) && hasSameResult(before.step, step);
}

/** Waiting asks again by design, and ending ends as often as something is ended. */
export function isMeantToRepeat({ step }: IndexedCall): boolean {
  return looksLikePolling(step.name) || looksLikeFinalStep(step.name);
}

/** Shorter answers of a tool whose effect is unknown may be no more than a receipt: `done`, `{"success": true}`. */
const MAX_RECEIPT_LENGTH = 100;

/** Whether a result tells something, so that it tells something to get it again. */
export function isInformative({ step }: IndexedCall): boolean {
  let length = 0;
  for (const text of stringsIn(step.result)) {
    length += text.length;
    if (length > MAX_RECEIPT_LENGTH) return true;
  }
  return false;
}

/** `` `get_order` was called again with `order_id` "A-1001"``, or how often it was called as before. */
export function describeRepetition(repetition: Repetition): string {
  const { name, repeats } = repetition;
  return repeatsOneCall(repetition)
    ? `${codeSpan(name)} was called ${repeatCount(repeats.length)} ${formatArguments(repeats[0].call.step.arguments)}`
    : `${codeSpan(name)} was called ${repeatCount(repeats.length)}, always with the arguments of an earlier call,`;
}

/** Whether all are of one call, not of several with arguments of their own. */
export function repeatsOneCall({ repeats }: Repetition): boolean {
  return repeats.every(({ call }) => call.key === repeats[0].call.key);
}

/** Calls that evidence names: enough to see, and few enough to read. */
const MAX_EVIDENCE = 5;

/** The repetitions, then the calls that they repeat. */
export function repetitionEvidence(view: RuleView, { turn, repeats }: Repetition, note: string): Evidence[] {
  const shown = repeats.slice(0, MAX_EVIDENCE);
  const again = new Set(shown.map(({ call }) => call));
  const originals = new Set(shown.map(({ before }) => before).filter((before) => !again.has(before)));
  return [
    ...shown.map(({ call }) => view.evidence(turn, call.step.pointer, note)),
    ...[...originals].map((call) => view.evidence(call.turn, call.step.pointer, 'the call that it repeats')),
  ];
}
