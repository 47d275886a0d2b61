import { redactSecrets } from '../../core/secrets.ts';
import type { Rule } from '../rule.ts';
import { formatValue, quoteText } from '../shared/message-format.ts';
import { NOT_CODING } from '../shared/session-kind.ts';
import { describeMatch } from './result-matches.ts';

export const ungroundedValue: Rule = {
  id: 'ungrounded-value',
  title: 'Ungrounded value',
  proves:
    'The answer states a figure, a date or an identifier that appears in nothing the agent had seen and cannot be calculated from it.',
  severity: 'medium',
  label: 'false information',
  affects: [],
  kinds: NOT_CODING,
  page: {
    how: 'Looks up every amount, percentage, exact number, date, time and identifier of an answer in everything the agent had seen by then: results and errors of tools, documents, knowledge, instructions, user messages, tool descriptions, what sub-agents said, and the arguments of its own calls. Formats do not matter: `$42.50`, `42.5` and `4250 cents` are one amount, `March 3` and `2026-03-03` one date, `3 pm` and `15:00` one time, `0.15` and `15%` one share; identifiers are compared by their letters and digits. A value that is not found is tried as a multiple, a sum, a difference, a share, an average, a rounding or another unit of figures in the last three turns. Then it is tried with what earlier turns had (of 40 results the small ones and what the answer names, and 40 amounts), with quantities that somebody named (`50 kg`, `a week`), and as the total of a column or of things and their numbers in the answer, of a list in a result, or of the things that the answer names. What remains is reported, once for each value.',
    silent:
      'Does not report when there is nothing to compare with (no result, no document, no knowledge), or after the first thing that the trace did not record: unrecorded content, a call without a result, a truncated result. If the instructions are not in the trace, only near matches of values in results are reported, since the instructions may contain the rest. Ignores names, small whole numbers, years, rounded numbers without a unit, times on a quarter of an hour, phone numbers, code, URLs, examples and what stands below a heading such as `Example:`, placeholders in requests (`1234567`), values described as approximate (`$2,700+`) or usual, outcomes of calculations shown in the answer, numbers of standards, and dates that are a named period (`14 days`) from another date or are described as `next week`. An invented whole amount of money among many others can often be calculated by chance, and is missed then. Pictures from the user are not read: suppress the finding there.',
    remedy:
      'Compare the answer with the result closest to it. If the agent invented the value, have it answer from results only. If it knew the value from a source that the trace does not show, record that source.',
  },
  check(view) {
    return view.grounding.answers.flatMap(({ turn, value: stated, misquote, closest }) => {
      const { output, outputPointer, pointer } = view.session.turns[turn] ?? {};
      // `misquoted-figure` reports these.
      if (misquote !== null || output === undefined) return [];
      return {
        turn,
        message: `The answer states ${formatValue(stated.text)}${quoteContext(output ?? '', stated)}, which no tool result, document or message before it contains${closest ? `; ${describeMatch(closest)}` : ''}.`,
        evidence: [
          view.evidence(turn, outputPointer ?? pointer ?? '', `where the answer states ${formatValue(stated.text)}`),
          ...(closest
            ? [
                view.evidence(
                  closest.turn,
                  closest.step.resultPointer ?? closest.step.pointer,
                  'the closest value in a result',
                ),
              ]
            : []),
        ],
      };
    });
  },
};

/** How much of a sentence is quoted on either side of a value. */
const QUOTE_SIDE = 45;
/** How far back to search for a secret that may extend into the quotation. */
const SECRET_SCAN_LENGTH = 1000;

/** Not the period after the number of a day: `14. März`. */
const SENTENCE_END = /(?<!\b\d{1,2})[.!?](?=\s|$)|\n/;

/** The words around a value, without secrets: ` in "…to the card ending in 8812."`; empty if there are none. */
function quoteContext(answer: string, { at, end }: { readonly at: number; readonly end: number }): string {
  const begins = Math.max(0, at - SECRET_SCAN_LENGTH);
  const quotation = redactSecrets(answer.slice(begins, end));
  const all = redactSecrets(answer.slice(begins, end + SECRET_SCAN_LENGTH));
  const stated = answer.slice(at, end);
  if (!quotation.endsWith(stated) || !all.startsWith(quotation)) return '';
  const before = lastWords(
    quotation
      .slice(0, quotation.length - stated.length)
      .split(SENTENCE_END)
      .at(-1) ?? '',
  );
  const rest = all.slice(quotation.length);
  const ends = rest.search(SENTENCE_END);
  const after = firstWords(ends < 0 ? rest : rest.slice(0, ends + 1));
  const around = `${before}${stated}${after}`.replaceAll('"', "'");
  return /\p{L}/u.test(before + after) ? ` in ${quoteText(around)}` : '';
}

/** The end of a text, from the start of a word. */
function lastWords(text: string): string {
  if (text.length <= QUOTE_SIDE) return text.trimStart();
  return `…${/\s(.*)$/s.exec(text.slice(-QUOTE_SIDE))?.[1] ?? ''}`;
}

/** The beginning of a text, up to the end of a word. */
function firstWords(text: string): string {
  if (text.length <= QUOTE_SIDE) return text.trimEnd();
  return `${/^(.*)\s/s.exec(text.slice(0, QUOTE_SIDE))?.[1] ?? ''}…`;
}
