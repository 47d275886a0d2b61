import type { Question } from '../question.ts';
import type { Page } from './page.ts';
import { textOf } from './passage.ts';
import { recently } from './recently.ts';
import { fairLimit } from './shorten.ts';
import type { Show } from './trace-text.ts';

/** Answers that are known already, by the names of their questions. */
export type Facts = Readonly<Record<string, unknown>>;

/** At most so many characters are shown of all instructions and of all facts. */
const LONGEST_INSTRUCTIONS = 16_000;
const LONGEST_FACTS = 4000;

/** What a prompt keeps free for them, with the names and headings around them. */
export const ROOM_FOR_QUESTIONS = LONGEST_INSTRUCTIONS + LONGEST_FACTS + 2000;

/** Instructions are the same for most turns. */
const INSTRUCTIONS_KEPT = 100;

/** Writes the last part of a prompt: the facts, as data, and what is asked. */
export function questionsWriter(
  boundary: string,
  page: Page,
  show: Show,
): (about: string, questions: readonly Question[], facts: Facts) => string {
  // Facts are a model's words, and instructions may quote the trace: neither may have the marker.
  const unmarked = (text: string) => text.replaceAll(boundary, '(marker)');
  const whole = recently((text: string) => unmarked(show(text, LONGEST_INSTRUCTIONS)), INSTRUCTIONS_KEPT);

  const factsOf = (facts: Facts): string => {
    const texts = Object.entries(facts).map(([name, value]) => ({ name, text: unmarked(jsonOf(value)) }));
    if (texts.length === 0) return '';
    const fair = fairLimit(
      texts.map(({ text }) => text.length),
      LONGEST_FACTS,
    );
    const blocks = texts.map(({ name, text }) =>
      page.block(`fact: ${name}`, show(text, Math.min(fair, LONGEST_FACTS))),
    );
    return `${page.part(page.heading('Facts that are known'), ...blocks)}\n\n`;
  };
  const askedOf = (questions: readonly Question[]): string => {
    const texts = questions.map(({ name, instructions }) => ({ name, text: whole(instructions) }));
    const fair = fairLimit(
      texts.map(({ text }) => text.length),
      LONGEST_INSTRUCTIONS,
    );
    return texts.map(({ name, text }) => `## ${name}\n${text.length > fair ? show(text, fair) : text}`).join('\n\n');
  };
  return (about, questions, facts) =>
    `${factsOf(facts)}# ${questions.length === 1 ? 'Question' : 'Questions'} ${about}\n\n${askedOf(questions)}`;
}

/** As a person reads it: a field on each line. */
function jsonOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? textOf(value));
}
