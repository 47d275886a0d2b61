import { redactSecrets } from '../../core/secrets.ts';
import type { Rule } from '../rule.ts';
import { formatValue, quoteText } from '../shared/message-format.ts';
import { describeMatch } from './result-matches.ts';

export const ungroundedValue: Rule = {
  id: 'ungrounded-value',
  title: 'Value from nowhere',
  proves:
    'The answer states a figure, a date or an identifier that nothing the agent had seen contains and that cannot be worked out from it.',
  severity: 'medium',
  label: 'false information',
  affects: [],
  page: {
    how:
      'Every amount, percentage, exact number, date, time and identifier of an answer is looked up in everything the agent had seen by then: ' +
      'results and errors of tools, documents, knowledge, instructions, what the user said, descriptions of tools, what sub-agents said, and the arguments of its own calls. ' +
      'Formats do not matter: `$42.50`, `42.5` and `4250 cents` are one amount, `March 3` and `2026-03-03` one date, `3 pm` and `15:00` one time, `0.15` and `15%` one share; identifiers are compared by their letters and digits. ' +
      'A value that is not found there is tried as a multiple, a sum, a difference, a share, an average, a rounding or another unit of the figures around. What is left is reported, once for each value.',
    silent:
      'Where there is nothing to compare with (no result, no document, no knowledge), in sessions of coding agents, and from the first thing on that the trace did not keep: content not recorded, a call without its result, a result that was cut. ' +
      'Where the instructions are not in the trace, only what is almost a value of a result is reported, since they may have told the rest. ' +
      'Not looked at: names, small whole numbers, years, rounded numbers without a unit, times on a quarter of an hour, phone numbers, code, URLs, examples, what is said to be approximate or usual, outcomes of calculations that the answer shows, numbers of standards, and dates near others, a period apart that was named (`14 days`) or spoken of as `next week`. ' +
      'An invented whole amount of money among many others can often be worked out by chance, and is missed then. What a user showed as a picture is not seen: suppress the finding there.',
    remedy:
      'Look at the answer and at the result that is nearest to it. If the agent made the value up, let it answer from results only; if it knew the value from a place that the trace does not show, record that place.',
  },
  check(view) {
    if (view.coding) return [];
    return view.grounding.answers.flatMap(({ turn, value: stated, misquote: misquotes, closest: near }) => {
      const { output, outputPointer, pointer } = view.session.turns[turn] ?? {};
      // A value that a result gives otherwise is told as that.
      if (misquotes !== null || output === undefined) return [];
      return {
        turn,
        message: `The answer states ${formatValue(stated.text)}${quoteContext(output ?? '', stated)}, which no tool result, document or message before it contains${near ? `; ${describeMatch(near)}` : ''}.`,
        evidence: [
          view.evidence(turn, outputPointer ?? pointer ?? '', `where the answer states ${formatValue(stated.text)}`),
          ...(near
            ? [view.evidence(near.turn, near.step.resultPointer ?? near.step.pointer, 'the value most like it')]
            : []),
        ],
      };
    });
  },
};

/** How much of a sentence is quoted to either side of a value. */
const QUOTE_SIDE = 45;
/** How far back a secret is looked for that may reach into what is quoted. */
const SECRET_SCAN_LENGTH = 1000;

/** Not the point after the number of a day: `14. März`. */
const SENTENCE_END = /(?<!\b\d{1,2})[.!?](?=\s|$)|\n/;

/** ` in "…to the card ending in 8812."`: the words around a value, without secrets; empty where there are none. */
function quoteContext(answer: string, { at, end }: { readonly at: number; readonly end: number }): string {
  const begins = Math.max(0, at - SECRET_SCAN_LENGTH);
  const told = redactSecrets(answer.slice(begins, end));
  const all = redactSecrets(answer.slice(begins, end + SECRET_SCAN_LENGTH));
  const stated = answer.slice(at, end);
  if (!told.endsWith(stated) || !all.startsWith(told)) return '';
  const before = lastWords(
    told
      .slice(0, told.length - stated.length)
      .split(SENTENCE_END)
      .at(-1) ?? '',
  );
  const rest = all.slice(told.length);
  const ends = rest.search(SENTENCE_END);
  const after = firstWords(ends < 0 ? rest : rest.slice(0, ends + 1));
  const around = `${before}${stated}${after}`.replaceAll('"', "'");
  return /\p{L}/u.test(before + after) ? ` in ${quoteText(around)}` : '';
}

/** The end of a text, from the beginning of a word on. */
function lastWords(text: string): string {
  if (text.length <= QUOTE_SIDE) return text.trimStart();
  return `…${/\s(.*)$/s.exec(text.slice(-QUOTE_SIDE))?.[1] ?? ''}`;
}

/** The beginning of a text, up to the end of a word. */
function firstWords(text: string): string {
  if (text.length <= QUOTE_SIDE) return text.trimEnd();
  return `${/^(.*)\s/s.exec(text.slice(0, QUOTE_SIDE))?.[1] ?? ''}…`;
}
