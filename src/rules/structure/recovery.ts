import { lazy, memoize } from '../../core/cache/memoize.ts';
import type { Turn } from '../../core/session.ts';
import { hasSucceeded, type IndexedCall, type RuleView } from '../rule-view.ts';
import { stringsIn } from '../shared/json-strings.ts';
import { nameWords } from '../shared/tool-effect.ts';

/** A call that failed, and what became of what it had been made for. */
export interface FailedCall {
  readonly call: IndexedCall;
  /** The first later call that got it done; null when none did. */
  readonly recoveredBy: IndexedCall | null;
  /** Whether the trace shows that nothing did: false too where something may have, out of sight. */
  readonly lost: boolean;
}

/**
 * The calls that failed, in order; one that the user rejected did not fail. A later success serves the purpose of a
 * failed call when it is of the same tool or of one whose name has the same words, when it names all things that the
 * failed call had named, or, for look-ups, when it looks up a thing of the same name. What only reads never makes up for
 * what was to change something.
 */
export function findFailedCalls({ session, calls }: RuleView): FailedCall[] {
  const first = calls.findIndex(hasFailed);
  if (first < 0) return [];
  const behind = calls.slice(first).reverse();
  const wanted = new Map(behind.filter(hasFailed).map((call) => [call, namedIds(call)]));
  const successes = new SuccessIndex(wanted.values());
  const lastHidden = lazy(() => session.turns.findLastIndex(mayHideActions));
  const failed: FailedCall[] = [];
  for (const call of behind) {
    if (hasSucceeded(call)) successes.add(call);
    const things = wanted.get(call);
    if (!things) continue;
    const recoveredBy = successes.nextFor(call, things);
    failed.push({ call, recoveredBy, lost: recoveredBy === null && call.turn > lastHidden() });
  }
  return failed.reverse();
}

/** Whether something may have been done in a turn that the agent's own calls do not show. */
export function mayHideActions({ captured, steps }: Turn): boolean {
  return (
    captured === false ||
    steps.some((step) => step.type === 'agent' || (step.type === 'tool' && step.requestedBy === 'user'))
  );
}

function hasFailed({ failed }: IndexedCall): boolean {
  return failed;
}

/** Successes about a thing that are looked at, from the next on: a trace may have very many about one thing. */
const MAX_CANDIDATES = 20;

/** The successful calls behind a place in a session, gathered from its end. */
class SuccessIndex {
  private readonly byName = new Map<string, IndexedCall>();
  private readonly byWords = new Map<string, IndexedCall>();
  private readonly lookUps = new Map<string, IndexedCall>();
  /** By the first thing that a failed call names; the next success stands last. */
  private readonly byThing: ReadonlyMap<string, IndexedCall[]>;

  private readonly nameOf = memoize(parseToolName);
  private readonly thingsOf = memoize(namedIds);

  /** @param wanted the things that each failed call names. */
  constructor(wanted: Iterable<ReadonlySet<string>>) {
    this.byThing = new Map([...wanted].flatMap(([thing]) => (thing === undefined ? [] : [[thing, []]])));
  }

  add(call: IndexedCall): void {
    const { words, nouns } = this.nameOf(call.step.name);
    this.byName.set(call.step.name, call);
    this.byWords.set(words, call);
    if (call.effect === 'reads') for (const noun of nouns) this.lookUps.set(noun, call);
    if (this.namesAnything(call)) for (const thing of this.thingsOf(call)) this.byThing.get(thing)?.push(call);
  }

  nextFor(failed: IndexedCall, things: ReadonlySet<string>): IndexedCall | null {
    const { words, nouns } = this.nameOf(failed.step.name);
    const found = [
      this.byName.get(failed.step.name),
      this.byWords.get(words),
      this.nextAbout(things, failed),
      ...(failed.effect === 'reads' ? nouns.map((noun) => this.lookUps.get(noun)) : []),
    ].flatMap((call) => call ?? []);
    return found.reduce<IndexedCall | null>((next, call) => (next && next.index < call.index ? next : call), null);
  }

  private nextAbout(things: ReadonlySet<string>, failed: IndexedCall): IndexedCall | undefined {
    const [thing] = things;
    const about = (thing !== undefined && this.byThing.get(thing)) || [];
    return about
      .slice(-MAX_CANDIDATES)
      .findLast(
        (call) =>
          !(failed.effect === 'changes' && call.effect === 'reads') &&
          [...things].every((one) => this.thingsOf(call).has(one)),
      );
  }

  /** Whether a call names anything that is wanted, without looking closely at what it names. */
  private namesAnything({ step }: IndexedCall): boolean {
    for (const text of stringsIn(step.arguments)) if (this.byThing.has(text)) return true;
    return false;
  }
}

/** What a tool's name says. */
interface ToolNameParts {
  /** In alphabetical order: `search_flights` and `flight_search` are the same. */
  readonly words: string;
  readonly nouns: readonly string[];
}

/** Words of names that say how something is looked up, or in what form. */
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

/** Things that are named in one call: more than anybody names. */
const MAX_IDS = 20;

const DATE = /^\d{4}-\d\d-\d\d/;

/** What a call's arguments name: identifiers, addresses and paths, by what they look like. */
function namedIds({ step }: IndexedCall): ReadonlySet<string> {
  const things = new Set<string>();
  let seen = 0;
  for (const text of stringsIn(step.arguments)) {
    seen += 1;
    if (text.length >= 3 && text.length <= 200 && /[\d@/]/.test(text) && !/\s/.test(text) && !DATE.test(text))
      things.add(text);
    if (things.size === MAX_IDS || seen === 10 * MAX_IDS) break;
  }
  return things;
}
