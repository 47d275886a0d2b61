import * as z from 'zod';
import { defineQuestion } from '../../judge/question.ts';
import { quoteText } from '../../rules/shared/message-format.ts';
import { judgedTurn, requireAnswer } from '../judged-metric.ts';
import { answerEvidence } from '../shared/evidence.ts';
import { evidenceIds } from '../shared/graded-question.ts';
import { textOrEmpty } from '../shared/text.ts';

const MAX_CLAIMS = 20;

/** One object for all turns, so that its answer schema is built once. */
const QUESTION = defineQuestion({
  name: 'source_attribution',
  context: 'turn',
  instructions: `Which claims of this turn's answer need a source, and which of them cite one that bears them out?
A claim needs one where it states what the agent can only have from elsewhere: figures, dates, prices, policies, findings, facts of the world or of a record. Greetings, offers, questions, advice, the user's own words and what the agent itself did need none.
- claim: 3 to 15 words, copied exactly from the answer, each once; the weightiest first, at most ${MAX_CLAIMS}. An empty list where nothing needs a source.
- citation: the source as the answer names it (link, title, document, section, file and line, tool, record), copied; null where it names none. That a result holds the fact is no citation.
- evidence: where the record shows what the cited source says.
- supported: true only if the cited source, as the record shows it, says this. One that the record does not show, or that says less, supports nothing.`,
  answer: ({ id }) => {
    const claim = z
      .object({
        claim: z.string().min(1).describe('copied from the answer'),
        citation: z.string().nullish().describe('the source as the answer names it'),
        evidence: evidenceIds(id),
        reason: z.string().describe('in one sentence'),
        supported: z.boolean(),
      })
      .refine(({ supported, citation }) => !supported || Boolean(citation?.trim()), {
        path: ['supported'],
        error: 'a claim cannot be supported by a citation that is not there: name the citation, or say false',
      })
      .refine(({ supported, evidence }) => !supported || evidence.length > 0, {
        path: ['evidence'],
        error: 'a claim that is supported needs the id of a passage that shows what the source says',
      });
    return z.object({
      claims: z
        .array(claim)
        .max(MAX_CLAIMS)
        .refine((all) => new Set(all.map((claim) => normalizeText(claim.claim))).size === all.length, {
          error: 'a claim stands in the list twice',
        }),
    });
  },
});

/** Claims with a citation that supports them / claims that need one. */
export const sourceAttribution = judgedTurn({
  name: 'source_attribution',
  question: 'Is each claim of the answer supported by a source that it cites?',
  source: 'ADK, metrics and scoring',
  scale: 'unit',
  threshold: null,
  optIn: true,
  precheck: requireAnswer,
  ask: {
    question: () => QUESTION,
    interpret({ claims: listed }, _, { turn }) {
      const answer = normalizeText(textOrEmpty(turn.output));
      const claims = listed.filter(({ claim }) => containsQuote(claim, answer));
      const supported = claims.filter((claim) => claim.supported);
      const notInAnswer = listed.length - claims.length;
      const metadata = {
        supported: supported.length,
        total: claims.length,
        notInAnswer,
        claims: claims.map(({ claim, citation = null, supported: bears, reason }) => ({
          claim,
          citation,
          supported: bears,
          reason,
        })),
      };
      const cited = claims.flatMap(({ evidence }) => evidence);
      if (claims.length === 0) {
        return listed.length === 0
          ? { status: 'not_applicable', reason: 'The answer makes no claim that needs a source.', cited, metadata }
          : {
              status: 'error',
              reason: 'No claim that the judge names is in the answer.',
              cited,
              metadata,
            };
      }
      const open = claims.filter((claim) => !claim.supported);
      return {
        score: supported.length / claims.length,
        reason: describeClaims(supported.length, claims.length, open[0], notInAnswer),
        cited,
        evidence: open
          .slice(0, MAX_SHOWN)
          .map(({ claim }) => answerEvidence(turn, `without a source that supports it: ${quoteText(claim)}`)),
        metadata,
      };
    },
  },
});

/** Claims without a source in the evidence. */
const MAX_SHOWN = 5;

function describeClaims(
  supported: number,
  total: number,
  open: { readonly claim: string; readonly reason: string } | undefined,
  notInAnswer: number,
): string {
  const claims = total === 1 ? 'claim' : 'claims';
  const first = open ? ` ${quoteText(open.claim)}: ${open.reason}` : '';
  const left = notInAnswer === 0 ? '' : ` ${notInAnswer} more that the judge named are not in the answer.`;
  return `${supported} of ${total} ${claims} cited a source that supports them.${first}${left}`;
}

/** Whether a text contains a quotation, ignoring case, punctuation and marks; `…` stands for omitted words. */
function containsQuote(claim: string, answer: string): boolean {
  const parts = claim
    .split(/…|\.{3}/)
    .map(normalizeText)
    .filter((part) => part !== '');
  return parts.length > 0 && parts.every((part) => answer.includes(part));
}

/** The letters and digits of a text, in lower case, with a space between words. */
function normalizeText(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ');
}
