import type { Rule } from '../rule.ts';
import { errorText, type IndexedCall, type RuleView } from '../rule-view.ts';
import { stringsIn } from '../shared/json-strings.ts';
import { codeSpan, endSentence, quoteText } from '../shared/message-format.ts';
import { findFailedCalls } from './recovery.ts';

/** How many failures of a tool make a problem. */
const MIN_FAILURES = 3;

/** How many calls the evidence contains. */
const MAX_EVIDENCE = 5;

export const unrecoveredError: Rule = {
  id: 'unrecovered-error',
  title: 'Error never recovered',
  proves: 'A tool failed, and no later call achieved the purpose of the failed call.',
  severity: 'info',
  label: null,
  affects: [],
  page: {
    how: 'Looks for tool calls that failed, according to the trace or to their result, and for the first later success that serves the same purpose: a call of the same tool, of a tool whose name has the same words (`search_flights`, `flight_search`), of any tool with everything that the failed call named (the same order number, the same path), or, after a failed look-up, another look-up for the same kind of thing (`find_user_by_email`, then `find_user_by_name`). If there is none, it is reported once for each tool, at its last failure. A tool that may change something and failed at least three times, not always with the same arguments, is a finding of severity medium: the agent tried again, and never did what it had set out to do. One or two failures, look-ups that found nothing, retries with nothing new but values that the user had just named, and retries without any change, which `error-repeated-unchanged` reports, are observations (`info`): to be told that something does not exist, or is not allowed, is often the right outcome. `error_recovery_rate` uses the same definition of recovery.',
    silent:
      'A look-up never counts as the recovery of a failed change. Does not report if the trace may hide what came later: a sub-agent, user-made calls (after a failed change, only those that may change something), content that was not recorded. A general-purpose tool, such as a shell, counts as recovered with its next success; for coding agents, it is always an observation.',
    remedy:
      'Read what the tool returned and how the agent went on. An answer that mentions the error is often the right outcome. Otherwise check whether the tool’s message tells the agent what to do instead, and whether the agent has another way to its goal.',
  },
  check(view) {
    // Pointers of calls belong to the file of the finding's turn.
    const byTool = Map.groupBy(
      findFailedCalls(view).flatMap(({ call, isUnrecovered: lost }) => (lost ? call : [])),
      ({ turn, step }) => `${view.session.turns[turn]?.file ?? ''}\n${step.name}`,
    );
    return [...byTool.values()].flatMap((calls) => {
      const last = calls.at(-1);
      return last
        ? {
            turn: last.turn,
            severity:
              last.effect !== 'reads' &&
              view.kind !== 'coding' &&
              calls.length >= MIN_FAILURES &&
              wasRetried(view, calls)
                ? 'medium'
                : 'info',
            message: describeFailure(last, calls.length),
            evidence: evidenceOf(view, calls),
            calls: calls.map(({ step }) => step.pointer),
          }
        : [];
    });
  },
};

/**
 * Whether the agent called the tool again in another way of its own. It did not if each further call differs from the
 * previous one by nothing but what the user had just written, such as the corrected number of an order.
 */
function wasRetried({ session }: RuleView, calls: readonly IndexedCall[]): boolean {
  const last = calls.slice(-MAX_COMPARED);
  return last.some((call, index) => {
    const before = last[index - 1];
    // An unchanged call is a finding of error-repeated-unchanged.
    if (!before || before.key === call.key) return false;
    const known = new Set(firstStrings(before));
    const changed = firstStrings(call).filter((text) => !known.has(text));
    const input = session.turns[call.turn]?.input?.slice(0, MAX_INPUT_LENGTH) ?? '';
    return changed.length === 0 || changed.some((text) => !input.includes(text));
  });
}

/** How many calls of a tool, and strings of their arguments, are compared. */
const MAX_COMPARED = 20;
const MAX_INPUT_LENGTH = 20_000;

function firstStrings({ step }: IndexedCall): string[] {
  const strings: string[] = [];
  for (const text of stringsIn(step.arguments)) {
    if (strings.length === MAX_COMPARED) break;
    strings.push(text);
  }
  return strings;
}

function describeFailure({ step }: IndexedCall, times: number): string {
  const error = errorText(step);
  const often = times === 1 ? '' : ` ${times} times`;
  const how = error === '' ? '' : `${times === 1 ? '' : ', the last time'} with ${quoteText(error)}`;
  return endSentence(`${codeSpan(step.name)} failed${often}${how} and no later call made up for it`);
}

function evidenceOf(view: RuleView, calls: readonly IndexedCall[]) {
  return calls
    .slice(-MAX_EVIDENCE)
    .reverse()
    .flatMap(({ turn, step }) => [
      view.evidence(turn, step.pointer, 'the failed call'),
      ...(step.resultPointer === undefined ? [] : [view.evidence(turn, step.resultPointer, 'its result')]),
    ]);
}
