import type { Rule } from '../rule.ts';
import { codeSpan, formatValue } from '../shared/message-format.ts';
import { describeMatch } from './result-matches.ts';

export const misquotedFigure: Rule = {
  id: 'misquoted-figure',
  title: 'Figure restated wrongly',
  proves: 'The answer gives a figure, a date or a time of a result with another value than the result has.',
  severity: 'medium',
  label: 'false information',
  affects: [],
  page: {
    how:
      'A value of an answer that nothing the agent had seen contains (as `ungrounded-value` finds out), beside words that name a key of a recent result: `your total is $425.10` where the result has `total: 452.10`. ' +
      'The results must give one value for that key, or one for the thing (an order, a flight, an item) that the answer names nearest to it, and the two values must be alike in their digits, or the name of the key must stand directly before the value.',
    silent:
      'Where `ungrounded-value` is, and where the figure can be worked out from others, unless its digits are those of the result in another order. ' +
      'A wrong value that another result happens to contain is not reported.',
    remedy:
      'Compare the two places. If the agent copied the value wrongly, let the answer be built from the result; if it means something else, name it more clearly in the answer.',
  },
  check(view) {
    if (view.coding) return [];
    return view.grounding.answers.flatMap(({ turn, value: stated, misquote: misquotes }) => {
      const { outputPointer, pointer } = view.session.turns[turn] ?? {};
      if (misquotes === null || pointer === undefined) return [];
      const { step, key } = misquotes;
      return {
        turn,
        message: `The answer gives ${formatValue(stated.text)} for ${codeSpan(key)}, but ${describeMatch({ ...misquotes, key: '' })}.`,
        evidence: [
          view.evidence(turn, outputPointer ?? pointer, `where the answer gives ${formatValue(stated.text)}`),
          view.evidence(misquotes.turn, step.resultPointer ?? step.pointer, `what ${codeSpan(step.name)} returned`),
        ],
      };
    });
  },
};
