/** Finds requirements of a confirmation in policies, by the phrases of `policy-phrases.ts`. */

import { memoize } from '../../core/cache/memoize.ts';
import { changeVerb, nameWords } from '../shared/tool-effect.ts';
import {
  ANY_CHANGE,
  NEGATED,
  OTHER_SUBJECT,
  PROHIBITION,
  REQUIREMENT,
  SPECIFIC_CHANGE,
  WITHOUT_CONSENT,
} from './policy-phrases.ts';
import { splitSentences, verbStem } from './user-consent.ts';

const MAX_POLICY_LENGTH = 100_000;
/** More requirements than any policy states in different words. */
const MAX_REQUIREMENTS = 20;
/** How much of a sentence is quoted; the quotation should contain the requirement. */
const MAX_QUOTE_LENGTH = 120;

/** A sentence of a policy that requires a confirmation of changes. */
interface ConfirmationRequirement {
  /** The sentence for a quotation, or its end if the requirement is there. */
  readonly quoted: string;
  readonly sentence: string;
  readonly appliesToAnyChange: boolean;
}

/**
 * Finds the requirements of a policy.
 *
 * @returns a look-up of the requirement, as a quotation, that applies to a tool; null if none does
 */
export function parseConfirmationPolicy(policy: string): (tool: string) => string | null {
  const requirements = splitSentences(policy, MAX_POLICY_LENGTH).flatMap(requirementsIn).slice(0, MAX_REQUIREMENTS);
  return memoize(
    (tool: string) => requirements.find((requirement) => appliesToTool(requirement, tool))?.quoted ?? null,
  );
}

function requirementsIn(sentence: string): ConfirmationRequirement[] {
  const match = matchRequirement(sentence);
  if (!match) return [];
  const rest = `${sentence.slice(0, match.index)} … ${sentence.slice(match.index + match[0].length)}`;
  const ofAnyChange = ANY_CHANGE.test(sentence);
  if ((!ofAnyChange && !SPECIFIC_CHANGE.test(sentence)) || OTHER_SUBJECT.test(rest)) return [];
  return [
    {
      quoted: quoteRequirement(sentence, match.index),
      sentence: sentence.toLowerCase(),
      appliesToAnyChange: ofAnyChange,
    },
  ];
}

function matchRequirement(sentence: string): RegExpExecArray | null {
  const without = WITHOUT_CONSENT.exec(sentence);
  // An action without asking is not a requirement to ask.
  if (without) return PROHIBITION.test(sentence.slice(0, without.index)) ? without : null;
  const match = REQUIREMENT.exec(sentence);
  return match && !NEGATED.test(sentence.slice(0, match.index)) ? match : null;
}

/** `Ask before refunding` applies to refunds only. */
function appliesToTool({ appliesToAnyChange, sentence }: ConfirmationRequirement, tool: string): boolean {
  const verb = changeVerb(tool);
  return (
    appliesToAnyChange || (verb === null ? nameWords(tool) : [verb]).some((word) => sentence.includes(verbStem(word)))
  );
}

/** Shortens a long sentence to start at the clause of the requirement. */
function quoteRequirement(sentence: string, at: number): string {
  const full = sentence.replace(/^[\s\-*•#>\d.)]{1,10}(?=\p{L})/u, '');
  if (full.length <= MAX_QUOTE_LENGTH) return full;
  const clause = Math.max(...[', ', ': ', '; ', ') ', ' - '].map((end) => sentence.lastIndexOf(end, at)));
  const from = clause < 0 || at - clause > MAX_QUOTE_LENGTH / 2 ? at : clause + 2;
  return from === 0 ? full : `… ${sentence.slice(from)}`;
}
