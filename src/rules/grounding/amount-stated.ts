import { joinWithAnd, limitList } from '../../core/text/lists.ts';
import { trimEnd } from '../../core/text/trim-end.ts';
import type { Rule } from '../rule.ts';
import { formatValue } from '../shared/message-format.ts';
import { NOT_CODING } from '../shared/session-kind.ts';

/** An amount with its currency. A run of digits matches at its first digit only, so that the pattern is linear. */
const AMOUNT =
  /[$€£¥₹]\s?\d[\d.,]*|\d(?<!(?:\w|\d[.,]+)\d)[\d.,]*\s?(?:[$€£¥₹](?!\s?\d)|(?:USD|EUR|GBP|CHF|JPY|INR|dollars?|euros?|pounds?)\b)/gi;

/** How many amounts the message lists; the others are counted. */
const MAX_LISTED = 3;

export const amountStated: Rule = {
  id: 'amount-stated',
  formerId: 'stated-amount',
  title: 'Amount of money stated',
  proves: 'The answer tells the user an amount of money.',
  severity: 'info',
  label: null,
  affects: [],
  kinds: NOT_CODING,
  page: {
    how: 'Lists the amounts of money in each answer. Together with `state-change`, which lists what was done, it is a checklist for reviewing a session. It does not check whether the amounts are right; `ungrounded-value` and `misquoted-figure` do. It says nothing about success: in public benchmarks of customer service, sessions that mention money failed more often in one domain (airline), and not in another (retail).',
    silent: 'Skips amounts without a currency.',
    remedy: 'Nothing is required. Compare the amounts with the results of the calls before them.',
  },
  check(view) {
    return view.session.turns.flatMap(({ output, outputPointer, pointer }, turn) => {
      if (output === null || !view.turnsWithDigits.has(turn)) return [];
      const amounts = [...new Set(Array.from(output.matchAll(AMOUNT), ([text]) => trimEnd(text, /[.,]/)))];
      if (amounts.length === 0) return [];
      const named = joinWithAnd(limitList(amounts, MAX_LISTED, formatValue));
      return {
        turn,
        message: `The answer states ${named}.`,
        evidence: [view.evidence(turn, outputPointer ?? pointer, 'the answer')],
      };
    });
  },
};
