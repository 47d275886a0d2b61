import * as z from 'zod';
import { joinWithAnd } from '../../core/text/lists.ts';
import { defineRule } from '../rule.ts';
import { codeSpan } from '../shared/message-format.ts';

const options = z.strictObject({
  /** The number of failed calls in the session. */
  calls: z.int().min(2).default(3),
});

/** How many calls the evidence contains. */
const MAX_EVIDENCE = 5;

export const manyFailedCalls = defineRule<z.infer<typeof options>>({
  id: 'many-failed-calls',
  title: 'Many failed calls',
  proves: 'Several calls of the session failed, whether or not a later one made up for them.',
  severity: 'info',
  label: null,
  affects: [],
  kinds: ['dialogue', 'other'],
  page: {
    how: 'Counts the calls of the agent that failed, according to the trace or to their result, and reports a session with at least three, at the last of them.',
    silent:
      'It is an observation: all of them may have been recovered, which `unrecovered-error` tells. Commands and web pages fail until they succeed, so it says nothing about coding and browsing agents. Ignores calls that the user rejected.',
    remedy:
      'Look at which tools fail and how. Errors in arguments suggest that descriptions of tools are unclear; look-ups that find nothing, that the agent guesses ids instead of asking.',
  },
  options,
  check(view, { calls: minimum }) {
    const failed = view.calls.filter((call) => call.failed);
    const last = failed.at(-1);
    if (!last || failed.length < minimum) return [];
    const names = [...new Set(failed.map(({ step }) => step.name))].map(codeSpan);
    const tools = joinWithAnd(names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} other tools`] : names);
    return [
      {
        turn: last.turn,
        message: `${failed.length} of ${view.calls.length} calls failed, of ${tools}.`,
        evidence: failed
          .slice(-MAX_EVIDENCE)
          .reverse()
          .map(({ turn, step }) => view.evidence(turn, step.resultPointer ?? step.pointer, 'a failed call')),
      },
    ];
  },
});
