import type { Rule } from '../rule.ts';
import { errorText, type IndexedCall, type RuleView } from '../rule-view.ts';
import { codeSpan, endSentence, quoteText } from '../shared/message-format.ts';
import { findFailedCalls } from './recovery.ts';

/** Calls that evidence names: enough to see, and few enough to read. */
const MAX_EVIDENCE = 5;

export const unrecoveredError: Rule = {
  id: 'unrecovered-error',
  title: 'Error never recovered',
  proves: 'A tool failed, and no later call got done what it had been called for.',
  severity: 'info',
  label: null,
  affects: [],
  page: {
    how: 'Looks for tool calls that failed, by what their trace or their result says, and for the first later success that serves the same purpose: of the same tool, of a tool whose name has the same words (`search_flights`, `flight_search`), of any tool that was called for everything that the failed call had named (the same order number, the same path), or, after a failed look-up, of another look-up for a thing of that name (`find_user_by_email`, then `find_user_by_name`). Where there is none, it says so, once for each tool and turn. `error_recovery_rate` counts by the same notion.',
    silent:
      'A look-up never makes up for a change that failed. Nothing is said of turns whose later course the trace may hide: a sub-agent, calls of the user, content that was not recorded. A tool for everything, such as a shell, counts as recovered by its next success. Most tool errors do no harm (an agent that asks whether a user exists may be told that there is none), and on labelled data the runs where this speaks did not fail more often than the others: it is an observation and no failure.',
    remedy:
      'Read what the tool said and how the agent went on. An answer that says so is often the right end; where it does not, see whether the tool’s message tells the agent what to do instead, and whether the agent has another way to the same end.',
  },
  check(view) {
    const byTurnAndTool = Map.groupBy(
      findFailedCalls(view).flatMap(({ call, lost }) => (lost ? call : [])),
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
  const said = errorText(step);
  const often = times === 1 ? '' : ` ${times} times`;
  const how = said === '' ? '' : `${times === 1 ? '' : ', the last time'} with ${quoteText(said)}`;
  return endSentence(`${codeSpan(step.name)} failed${often}${how} and no later call made up for it`);
}

function evidenceOf(view: RuleView, calls: readonly IndexedCall[]) {
  return calls
    .slice(-MAX_EVIDENCE)
    .reverse()
    .flatMap(({ turn, step }) => [
      view.evidence(turn, step.pointer, 'the call that failed'),
      ...(step.resultPointer === undefined ? [] : [view.evidence(turn, step.resultPointer, 'what it came back with')]),
    ]);
}
