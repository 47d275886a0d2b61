import type { Rule } from '../rule.ts';
import { errorText, type IndexedCall, type RuleView } from '../rule-view.ts';
import { codeSpan, endSentence, quoteText } from '../shared/message-format.ts';
import { findFailedCalls } from './recovery.ts';

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
    how: 'Looks for tool calls that failed, according to the trace or to their result, and for the first later success that serves the same purpose: a call of the same tool, of a tool whose name has the same words (`search_flights`, `flight_search`), of any tool with everything that the failed call named (the same order number, the same path), or, after a failed look-up, another look-up for the same kind of thing (`find_user_by_email`, then `find_user_by_name`). If there is none, it is reported once for each tool and turn. `error_recovery_rate` uses the same definition.',
    silent:
      'A look-up never counts as the recovery of a failed change. Does not report if the trace may hide what came later: a sub-agent, user-made calls, content that was not recorded. A general-purpose tool, such as a shell, counts as recovered with its next success. Most tool errors do no harm (an agent that asks whether a user exists may be told that there is none), and on labelled data the runs with this finding did not fail more often than the others: it is an observation, not a failure.',
    remedy:
      'Read what the tool returned and how the agent went on. An answer that mentions the error is often the right outcome. Otherwise check whether the tool’s message tells the agent what to do instead, and whether the agent has another way to its goal.',
  },
  check(view) {
    const byTurnAndTool = Map.groupBy(
      findFailedCalls(view).flatMap(({ call, isUnrecovered: lost }) => (lost ? call : [])),
      ({ turn, step }) => `${turn} ${step.name}`,
    );
    return [...byTurnAndTool.values()].flatMap((calls) => {
      const last = calls.at(-1);
      return last
        ? {
            turn: last.turn,
            message: describeFailure(last, calls.length),
            evidence: evidenceOf(view, calls),
            calls: calls.map(({ step }) => step.pointer),
          }
        : [];
    });
  },
};

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
