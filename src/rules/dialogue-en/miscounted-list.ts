import { isObject, parseJson } from '../../core/json.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import type { IndexedCall, RuleView } from '../rule-view.ts';
import { codeSpan, quoteText } from '../shared/message-format.ts';
import { nameWords } from '../shared/tool-effect.ts';
import { countsIn, mayStateCount, type StatedCount } from './stated-counts.ts';

export const miscountedList: Rule = {
  id: 'miscounted-list',
  title: 'Count contradicts list',
  proves: 'The answer counts more things of a kind than the list has that the agent had received.',
  severity: 'medium',
  label: 'false information',
  affects: [],
  kinds: ['dialogue'],
  page: {
    how:
      'Compares counts in answers with the last list that a tool returned: several objects that all have the same field with `true` or `false`, such as `available`. If the answer says that there are N things with that word (“we have 12 shirts available”), and fewer than N of the list have `true` there, it is reported: whichever of them the answer means, there are not that many.\n\n' +
      'Typically, the agent has counted the whole list, or miscounted it.',
    silent:
      'Ignores numbers that are too small, since they may be about a part of the list; numbers beyond the length of the list, which is about something else; approximate numbers; measures (“9 inch”); fields with other values than `true` and `false`; and turns in which several lists with that field were returned. Reads English only.',
    remedy:
      'Models count badly. Have the tool return the number, or filter the list on request, and tell the agent to count only what the tool has filtered.',
  },
  check(view) {
    let flags: readonly FlagCount[] = [];
    let unread: (readonly IndexedCall[])[] = [];
    return view.session.turns.flatMap(({ output }, turn) => {
      unread.push(view.callsByTurn[turn] ?? []);
      if (output === null || !mayStateCount(output)) return [];
      flags = latestFlags(unread) ?? flags;
      unread = [];
      if (flags.length === 0) return [];
      return countsIn(output, [...new Set(flags.map(({ words }) => words))]).flatMap((count) => {
        const [list, ...others] = flags.filter(({ words }) => words === count.words);
        return list && others.length === 0 && count.number > list.count && count.number <= list.length
          ? toFinding(view, turn, count, list)
          : [];
      });
    });
  },
};

function toFinding(view: RuleView, turn: number, { text }: StatedCount, list: FlagCount): RuleFinding {
  const { outputPointer, pointer = '' } = view.session.turns[turn] ?? {};
  const { step, turn: listTurn } = list.call;
  return {
    turn,
    message: `The answer says ${quoteText(text)}, but in the list that ${codeSpan(step.name)} returned, ${codeSpan(list.key)} is true for ${list.count} of ${list.length}.`,
    evidence: [
      view.evidence(turn, outputPointer ?? pointer, 'the answer with the count'),
      view.evidence(listTurn, step.resultPointer ?? step.pointer, 'the list'),
    ],
  };
}

/** The lists in the results of the last turn with lists; null if there are none. */
function latestFlags(callsByTurn: readonly (readonly IndexedCall[])[]): readonly FlagCount[] | null {
  for (const calls of callsByTurn.toReversed()) {
    const flags = calls.flatMap(countFlags);
    if (flags.length > 0) return flags;
  }
  return null;
}

/** How often a field of the objects in a list is true. */
interface FlagCount {
  readonly call: IndexedCall;
  readonly key: string;
  /** The key in words: `in stock` for `in_stock`. */
  readonly words: string;
  readonly count: number;
  readonly length: number;
}

const MAX_JSON_LENGTH = 500_000;
/** How much of a result is searched for lists. */
const MAX_VISITED = 2000;

/** Finds the lists of objects in a result, also if they are the values of an object, as `{"id-1": {…}, "id-2": {…}}`. */
function countFlags(call: IndexedCall): FlagCount[] {
  const { result: raw } = call.step;
  const result = typeof raw === 'string' && raw.length <= MAX_JSON_LENGTH ? parseJson(raw) : raw;
  const counts: FlagCount[] = [];
  const pending: unknown[] = [result];
  for (let visited = 0; pending.length > 0 && visited < MAX_VISITED; visited += 1) {
    const value = pending.shift();
    if (typeof value !== 'object' || value === null) continue;
    const items = Object.values(value).slice(0, MAX_VISITED);
    const [first] = items;
    if (items.length > 1 && isObject(first) && items.every(isObject)) {
      for (const key of Object.keys(first)) {
        if (!items.every((item) => typeof item[key] === 'boolean')) continue;
        const count = items.filter((item) => item[key] === true).length;
        counts.push({ call, key, words: nameWords(key).join(' '), count, length: items.length });
      }
    }
    if (pending.length < MAX_VISITED) pending.push(...items);
  }
  return counts;
}
