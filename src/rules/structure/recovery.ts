import { lazy, memoize } from '../../core/cache/memoize.ts';
import type { ToolStep, Turn } from '../../core/session.ts';
import { hasSucceeded, type IndexedCall, type RuleView } from '../rule-view.ts';
import { stringsIn } from '../shared/json-strings.ts';
import { nameWords, toolEffect } from '../shared/tool-effect.ts';

/** A failed call, and whether a later call achieved its purpose. */
export interface FailedCall {
  readonly call: IndexedCall;
  /** The first later call that achieved it; null if none did. */
  readonly recoveredBy: IndexedCall | null;
  /** Whether the trace shows that no call did. False if something the trace hides may have. */
  readonly isUnrecovered: boolean;
}

/**
 * Finds the failed calls, in order; a call rejected by the user did not fail. A later success serves the same purpose
 * if it calls the same tool or one whose name has the same words, if it names everything that the failed call named,
 * or, for look-ups, if it looks up the same kind of thing. A look-up never makes up for a failed change.
 */
export function findFailedCalls({ session, calls }: RuleView): FailedCall[] {
  const first = calls.findIndex(hasFailed);
  if (first < 0) return [];
  const callsFromEnd = calls.slice(first).reverse();
  const idsByCall = new Map(callsFromEnd.filter(hasFailed).map((call) => [call, namedIds(call)]));
  const successes = new SuccessIndex(idsByCall.values());
  const lastHidden = lazy(() => session.turns.findLastIndex((turn) => mayHideActions(turn)));
  // What a user looks up makes up for no failed change.
  const lastHiddenChange = lazy(() => session.turns.findLastIndex((turn) => mayHideActions(turn, mayChangeAnything)));
  const failedCalls: FailedCall[] = [];
  for (const call of callsFromEnd) {
    if (hasSucceeded(call)) successes.add(call);
    const ids = idsByCall.get(call);
    if (!ids) continue;
    const recoveredBy = successes.nextFor(call, ids);
    const hidden = call.effect === 'reads' ? lastHidden : lastHiddenChange;
    failedCalls.push({ call, recoveredBy, isUnrecovered: recoveredBy === null && call.turn > hidden() });
  }
  return failedCalls.reverse();
}

/**
 * Whether a turn may contain actions that the agent's own calls do not show.
 *
 * @param isAction whether a call of the user's counts
 */
export function mayHideActions({ captured, steps }: Turn, isAction: (call: ToolStep) => boolean = () => true): boolean {
  return (
    captured === false ||
    steps.some(
      (step) => step.type === 'agent' || (step.type === 'tool' && step.requestedBy === 'user' && isAction(step)),
    )
  );
}

function mayChangeAnything({ name }: ToolStep): boolean {
  return toolEffect(name, undefined) !== 'reads';
}

function hasFailed({ failed }: IndexedCall): boolean {
  return failed;
}

/** How many successes about one id are checked; a trace may have very many. */
const MAX_CANDIDATES = 20;

/** The successful calls after a point in a session, collected from its end. */
class SuccessIndex {
  private readonly byName = new Map<string, IndexedCall>();
  private readonly byWords = new Map<string, IndexedCall>();
  private readonly lookUps = new Map<string, IndexedCall>();
  /** By the first id that a failed call names; the next success is last. */
  private readonly byThing: ReadonlyMap<string, IndexedCall[]>;

  private readonly nameOf = memoize(parseToolName);
  private readonly thingsOf = memoize(namedIds);

  /** @param wanted the ids that each failed call names */
  constructor(idsOfFailed: Iterable<ReadonlySet<string>>) {
    this.byThing = new Map([...idsOfFailed].flatMap(([thing]) => (thing === undefined ? [] : [[thing, []]])));
  }

  add(call: IndexedCall): void {
    const { words, nouns } = this.nameOf(call.step.name);
    this.byName.set(call.step.name, call);
    this.byWords.set(words, call);
    if (call.effect === 'reads') for (const noun of nouns) this.lookUps.set(noun, call);
    if (this.namesAnything(call)) for (const thing of this.thingsOf(call)) this.byThing.get(thing)?.push(call);
  }

  nextFor(failed: IndexedCall, ids: ReadonlySet<string>): IndexedCall | null {
    const { words, nouns } = this.nameOf(failed.step.name);
    const candidates = [
      this.byName.get(failed.step.name),
      this.byWords.get(words),
      this.nextAbout(ids, failed),
      ...(failed.effect === 'reads' ? nouns.map((noun) => this.lookUps.get(noun)) : []),
    ].flatMap((call) => call ?? []);
    return candidates.reduce<IndexedCall | null>((next, call) => (next && next.index < call.index ? next : call), null);
  }

  private nextAbout(ids: ReadonlySet<string>, failed: IndexedCall): IndexedCall | undefined {
    const [thing] = ids;
    const about = (thing !== undefined && this.byThing.get(thing)) || [];
    return about
      .slice(-MAX_CANDIDATES)
      .findLast(
        (call) =>
          !(failed.effect === 'changes' && call.effect === 'reads') &&
          [...ids].every((id) => this.thingsOf(call).has(id)),
      );
  }

  /** A cheap test of whether a call names any wanted id. */
  private namesAnything({ step }: IndexedCall): boolean {
    for (const text of stringsIn(step.arguments)) if (this.byThing.has(text)) return true;
    return false;
  }
}

/** The parsed name of a tool. */
interface ToolNameParts {
  /** In alphabetical order, so that `search_flights` and `flight_search` are equal. */
  readonly words: string;
  readonly nouns: readonly string[];
}

/** Words of names that are not the object of a look-up. */
const NON_NOUNS = new Set(
  (
    'get list search find read fetch lookup look query describe show view retrieve check calculate compute count by of ' +
    'for from in on to with and or the a an all any my id name detail info information data item result tool api'
  ).split(' '),
);

function parseToolName(name: string): ToolNameParts {
  const words = nameWords(name).map(singular).sort();
  return { words: words.join(' '), nouns: words.filter((word) => !NON_NOUNS.has(word)) };
}

function singular(word: string): string {
  return word.length > 3 ? word.replace(/(?<!s)s$/, '') : word;
}

/** How many ids of a call are read. */
const MAX_IDS = 20;

const DATE = /^\d{4}-\d\d-\d\d/;

/** The ids, addresses and paths in a call's arguments, recognized by their form. */
function namedIds({ step }: IndexedCall): ReadonlySet<string> {
  const ids = new Set<string>();
  let visited = 0;
  for (const text of stringsIn(step.arguments)) {
    visited += 1;
    if (text.length >= 3 && text.length <= 200 && /[\d@/]/.test(text) && !/\s/.test(text) && !DATE.test(text))
      ids.add(text);
    if (ids.size === MAX_IDS || visited === 10 * MAX_IDS) break;
  }
  return ids;
}
