import type { Rule } from '../rule.ts';
import { codeSpan, formatValue } from '../shared/message-format.ts';
import { NOT_CODING } from '../shared/session-kind.ts';
import { describeMatch } from './result-matches.ts';

export const misquotedFigure: Rule = {
  id: 'misquoted-figure',
  title: 'Figure misquoted',
  proves: 'The answer restates a figure, a date or a time from a result with a different value.',
  severity: 'medium',
  label: 'false information',
  affects: [],
  kinds: NOT_CODING,
  page: {
    how: 'Reports a value in an answer that appears in nothing the agent had seen (see `ungrounded-value`), next to words that name a key of a recent result: `your total is $425.10` when the result has `total: 452.10`. The results must give a single value for that key, or a single one for the entity (an order, a flight, an item) that the answer mentions closest to it. The two values must also have similar digits, or the name of the key must be directly before the value.',
    silent:
      'Skips what `ungrounded-value` skips, and figures that can be calculated from others, unless the digits are those of the result in another order. A wrong value that happens to appear in another result is not reported.',
    remedy:
      'Compare the two locations. If the agent copied the value wrongly, build the answer from the result. If it means something else, name it more clearly in the answer.',
  },
  check(view) {
    return view.grounding.answers.flatMap(({ turn, value: stated, misquote }) => {
      const { outputPointer, pointer } = view.session.turns[turn] ?? {};
      if (misquote === null || pointer === undefined) return [];
      const { step, key } = misquote;
      return {
        turn,
        message: `The answer gives ${formatValue(stated.text)} for ${codeSpan(key)}, but ${describeMatch({ ...misquote, key: '' })}.`,
        evidence: [
          view.evidence(turn, outputPointer ?? pointer, `where the answer gives ${formatValue(stated.text)}`),
          view.evidence(misquote.turn, step.resultPointer ?? step.pointer, `what ${codeSpan(step.name)} returned`),
        ],
      };
    });
  },
};
