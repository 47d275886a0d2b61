import * as z from 'zod';
import { get, isObject, parseJson } from '../../core/json.ts';
import type { ToolStep } from '../../core/session.ts';
import { joinWithAnd } from '../../core/text/lists.ts';
import { looksTransient } from '../dialogue-en/phrases.ts';
import { defineRule, type RuleFinding } from '../rule.ts';
import { errorText, hasSameResult, type IndexedCall, type RuleView } from '../rule-view.ts';
import { stringsIn } from '../shared/json-strings.ts';
import { codeSpan } from '../shared/message-format.ts';
import { nameWords } from '../shared/tool-effect.ts';
import { isMeantToRepeat, isSearchTree } from './repetition.ts';

const options = z.strictObject({
  /** The number of unproductive calls, each with different arguments. */
  calls: z.int().min(2).default(5),
});

export const stalledTurn = defineRule<z.infer<typeof options>>({
  id: 'stalled-turn',
  title: 'Turn that stalled',
  proves: 'The agent kept calling tools in a turn, and the last of them returned nothing new.',
  severity: 'low',
  label: null,
  affects: ['step_efficiency'],
  page: {
    how: 'Reports a turn whose last calls, at least five with different arguments, were unproductive: a look-up found nothing (`[]`, `{"results": []}`, "No files found"), or a tool failed with the same words as before in that turn, whatever its arguments. If none of them failed it is an observation (`info`): a search that tries many possibilities on purpose looks the same.',
    silent:
      'Ignores turns in which a later call returned something new, and retries after timeouts, rate limits and the like. Exact repetitions, which have rules of their own, neither count nor end the series. Ignores tools whose empty answer may mean success, tools that wait or poll, and ToolBench trees, whose branches did not see each other.\n\n' +
      'Sentences such as "No files found" are recognized in English only.',
    remedy:
      'Check what the agent varied and what it kept: usually one argument that it assumed is wrong, such as the year of a date. Have the tool say why it found nothing; have the agent ask the user after a few attempts.',
  },
  options,
  check: (view, { calls: minimum }) =>
    isSearchTree(view.session)
      ? []
      : view.callsByTurn.flatMap((calls, turn) => {
          const tail = calls.length < minimum ? [] : unproductiveTail(calls);
          return tail.length < minimum ? [] : toFinding(view, turn, tail);
        }),
});

/**
 * `vain`: found nothing, or failed as before. `idle`: neither counts nor ends the series. `news`: returned something
 * new.
 */
type CallValue = 'news' | 'idle' | 'vain';

/** The unproductive calls at the end of a turn, each with different arguments. */
function unproductiveTail(calls: readonly IndexedCall[]): IndexedCall[] {
  const seen = new Map<string, ToolStep>();
  const failures = new Set<string>();
  let tail: IndexedCall[] = [];
  for (const call of calls) {
    const worth = classifyCall(call, seen.get(call.key), failures);
    seen.set(call.key, call.step);
    if (worth === 'news') tail = [];
    if (worth === 'vain') tail.push(call);
  }
  return tail;
}

function classifyCall(call: IndexedCall, before: ToolStep | undefined, failures: Set<string>): CallValue {
  const { step, effect } = call;
  if (isMeantToRepeat(call)) return 'news';
  if (step.outcome === 'error') {
    const error = errorText(step);
    if (error === '' || looksTransient(error)) return 'news';
    const failure = `${step.name}\n${removeEcho(error, step)}`;
    if (!failures.has(failure)) {
      failures.add(failure);
      return 'news';
    }
    return before ? 'idle' : 'vain';
  }
  if (step.outcome !== 'ok') return 'news';
  if (before && effect !== 'changes' && hasSameResult(before, step)) return 'idle';
  if (effect !== 'reads') return 'news';
  // A tool that returns nothing may be one for thinking.
  if (step.result === '' || step.result === null) return 'idle';
  if (!looksForSomething(step.name) || !foundNothing(step)) return 'news';
  return before ? 'idle' : 'vain';
}

function toFinding(view: RuleView, turn: number, tail: readonly IndexedCall[]): RuleFinding {
  const failedCount = tail.filter(({ step }) => step.outcome === 'error').length;
  const names = [...new Set(tail.map(({ step }) => step.name))].map(codeSpan);
  const tools = joinWithAnd(names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} other tools`] : names);
  const how =
    failedCount === 0
      ? 'found nothing'
      : failedCount === tail.length
        ? 'failed as before'
        : 'found nothing or failed as before';
  return {
    turn,
    message: `The turn ended with ${tail.length} calls of ${tools} that ${how}, each with other arguments.`,
    evidence: lastCalls(tail).map(({ step }) =>
      view.evidence(
        turn,
        step.resultPointer ?? step.pointer,
        step.outcome === 'error' ? 'same failure as before' : 'found nothing',
      ),
    ),
    calls: tail.map(({ step }) => step.pointer),
    // A systematic search looks the same, and a user may have asked for it.
    ...(failedCount === 0 ? { severity: 'info' } : {}),
  };
}

/** The last calls, newest first. */
function lastCalls(tail: readonly IndexedCall[]): IndexedCall[] {
  return tail.slice(-5).reverse();
}

const SEARCH_VERBS = new Set('search find lookup look query list get fetch retrieve browse grep glob'.split(' '));

/** For a tool that checks something, an empty list is a good result. */
function looksForSomething(name: string): boolean {
  return nameWords(name).some((word) => SEARCH_VERBS.has(word));
}

/** Longer results and errors contain more than a failure to find something. */
const MAX_MESSAGE_LENGTH = 500;
const MAX_ECHOES = 20;

const NO_HITS =
  /^\W*(?:(?:no|0|zero)(?: \w+)? (?:results?|match(?:es)?|files?|records?|entries|items?|documents?|hits?|rows?|data)\b|nothing (?:was )?found\b)/i;

/** Whether a look-up found nothing: an empty list, possibly with counts and wrappers, or a sentence that says so. */
function foundNothing({ result, arguments: args }: ToolStep): boolean {
  const value =
    typeof result === 'string' && result.length <= MAX_MESSAGE_LENGTH ? (parseJson(result) ?? result) : result;
  if (typeof value === 'string') return value.length <= MAX_MESSAGE_LENGTH && NO_HITS.test(value);
  if (Array.isArray(value)) return value.length === 0;
  if (!isObject(value)) return false;
  const keys = Object.keys(value);
  if (keys.length > MAX_ECHOES) return false;
  const queries = new Set(stringsIn(args));
  let empty = keys.length === 0;
  for (const key of keys) {
    const inner = get(value, key);
    if (Array.isArray(inner) && inner.length === 0) empty = true;
    else if (!isIncidental(inner, queries)) return false;
  }
  return empty;
}

/** Whether a value next to an empty list adds nothing: a count of zero, a missing next page, the query. */
function isIncidental(value: unknown, queries: ReadonlySet<string>): boolean {
  if (typeof value === 'string') return value === '' || queries.has(value);
  return value === 0 || value === null || typeof value === 'boolean';
}

/** Removes the arguments from an error message: `a.ts not found` and `b.ts not found` are the same failure. */
function removeEcho(message: string, { arguments: args }: ToolStep): string {
  let text = message.slice(0, MAX_MESSAGE_LENGTH);
  let echoes = 0;
  for (const query of stringsIn(args)) {
    if (query.length > 1 && query.length <= MAX_MESSAGE_LENGTH) text = text.replaceAll(query, '…');
    echoes += 1;
    if (echoes === MAX_ECHOES) break;
  }
  return text;
}
