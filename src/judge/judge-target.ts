import type { FactValues } from './prompting/questions-part.ts';
import type { SessionPrompt, SessionPrompts } from './prompting/session-prompts.ts';
import type { Question } from './question.ts';

/** What is asked about: a turn by its zero-based index, or the session as a whole. */
export type JudgeTarget = number | 'session';

/**
 * The prompt of one call. The trace is left out where all that is asked goes by facts.
 *
 * @throws RangeError when there is no such turn.
 */
export function promptFor(
  prompts: SessionPrompts,
  place: JudgeTarget,
  questions: readonly Question[],
  facts: FactValues,
): SessionPrompt {
  const isOfFacts = questions.every(({ context: sees }) => sees === 'facts');
  if (place === 'session') return isOfFacts ? prompts.facts(questions, facts) : prompts.session(questions, facts);
  return isOfFacts ? prompts.facts(questions, facts, place) : prompts.turn(place, questions, facts);
}
