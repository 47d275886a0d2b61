import { parseJson } from '../../core/json.ts';
import { joinWithAnd } from '../../core/text/lists.ts';
import type { Rule } from '../rule.ts';
import type { IndexedCall, RuleView } from '../rule-view.ts';
import { stringsIn } from '../shared/json-strings.ts';
import { codeSpan, formatValue } from '../shared/message-format.ts';
import { NOT_CODING } from '../shared/session-kind.ts';
import { looksLikeSearch } from '../shared/tool-effect.ts';

/** How many values the finding lists. */
const MAX_LISTED = 2;
const MIN_LENGTH = 3;
const MAX_LENGTH = 100;

export const selectionFromSearch: Rule = {
  id: 'selection-from-search',
  formerId: 'chosen-change',
  title: 'Change with a search result',
  proves: 'The agent changed something with values from a list that a search had returned, and no user had named them.',
  severity: 'info',
  label: null,
  affects: [],
  kinds: NOT_CODING,
  page: {
    how: 'Checks the calls that changed state (`state-change` lists them) for an argument value that appears in a list of several entries returned by an earlier search, and that no user had named by then. The agent selected a flight, a product or a slot: check that it is the one the user wanted. The user may have chosen it in other words, such as “the second one”. It says little about success: in public benchmarks, airline sessions with such a change failed more often with some agents and less often with others.',
    silent:
      'Ignores values that a user named first, values that another tool had returned (the flights of the booking that is changed), searches that found a single entry, values of fewer than three characters, and names that many texts share, since a selection is recognized by its text.',
    remedy:
      'Compare what was selected with what the user asked for: price, time, size. If the choice is the user’s, have the agent list the options and wait for an answer.',
  },
  check(view) {
    if (!view.calls.some(({ step }) => looksLikeSearch(step.name))) return [];
    const searchOffers = new SearchOffers(view);
    return view.changes.flatMap((change) => {
      const selections = searchOffers.selectionsOf(change).slice(0, MAX_LISTED);
      const [first] = selections;
      if (!first) return [];
      const { step, turn } = change;
      return {
        turn,
        message: `${codeSpan(step.name)} changed state with ${joinWithAnd(selections.map(({ text }) => formatValue(text)))}, which the agent took from what ${codeSpan(first.from.step.name)} found; no user had named ${selections.length === 1 ? 'it' : 'them'}.`,
        evidence: [
          view.evidence(turn, step.pointer, 'the call with the selected value'),
          ...[...new Set(selections.map(({ from }) => from))].map((from) =>
            view.evidence(from.turn, from.step.resultPointer ?? from.step.pointer, 'the search result with the value'),
          ),
        ],
        calls: [step.pointer],
      };
    });
  },
};

/** What searches had returned and users had said before a call. Calls must be requested in order. */
class SearchOffers {
  readonly #view: RuleView;
  readonly #offered = new Map<string, IndexedCall>();
  /** What results of other tools contain, such as the flights of a booking. */
  readonly #known = new Set<string>();
  readonly #said = new Set<string>();
  #calls = 0;
  #turns = 0;

  constructor(view: RuleView) {
    this.#view = view;
  }

  selectionsOf({ index, turn, step }: IndexedCall): SearchSelection[] {
    for (; this.#calls < index; this.#calls += 1) this.#offer(this.#view.calls[this.#calls]);
    if (this.#offered.size === 0) return [];
    return [...new Set(stringsIn(step.arguments))].flatMap((text) => {
      const from = isIdentifier(text) ? this.#offered.get(text.toLowerCase()) : undefined;
      return from && !this.#known.has(text.toLowerCase()) && !this.#isSaid(text, turn) ? [{ text, from }] : [];
    });
  }

  /** Collects the texts of a result: of a search with several entries, or of another tool. */
  #offer(call: IndexedCall | undefined): void {
    if (call?.step.outcome !== 'ok') return;
    const { result: raw } = call.step;
    const result = typeof raw === 'string' ? parseJson(raw) : raw;
    const isSearch = looksLikeSearch(call.step.name);
    if (isSearch && (!Array.isArray(result) || result.length < 2)) return;
    // Looking up what a search has found is part of the selection.
    const own = isSearch ? null : new Set(stringsIn(call.step.arguments));
    for (const text of stringsIn(result)) {
      if (text.length < MIN_LENGTH || text.length > MAX_LENGTH) continue;
      const key = text.toLowerCase();
      if (isSearch) this.#offered.set(key, call);
      else if (isIdentifier(key) && !own?.has(text)) this.#known.add(key);
    }
  }

  /** Whether users had said all words of a text by a turn. */
  #isSaid(text: string, turn: number): boolean {
    for (; this.#turns <= turn; this.#turns += 1) {
      for (const word of wordsIn(this.#view.session.turns[this.#turns]?.input ?? '')) this.#said.add(word);
    }
    return wordsIn(text).every((word) => this.#said.has(word));
  }
}

interface SearchSelection {
  readonly text: string;
  readonly from: IndexedCall;
}

/** Whether a text identifies one thing, like `HAT136`. A date does not, and users write dates differently. */
function isIdentifier(text: string): boolean {
  return /\d/.test(text) && !/^\d{4}-\d\d-\d\d/.test(text);
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().split(/[^\p{L}\d]+/u);
}
