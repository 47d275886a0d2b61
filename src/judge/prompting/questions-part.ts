import type { Question } from '../question.ts';
import type { Page } from './page.ts';
import { textOf } from './passage.ts';
import { recently } from './recently.ts';
import { fairLimit } from './shorten.ts';
import type { Show } from './trace-text.ts';

/** Answers that are known already, by the names of their questions. */
export type Facts = Readonly<Record<string, unknown>>;

/** At most so many characters are shown of all instructions with their data, of the data alone, and of all facts. */
const LONGEST_INSTRUCTIONS = 24_000;
const LONGEST_DATA = 9000;
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

  const blocksOf = (values: Readonly<Record<string, unknown>>, heading: string, kind: string, longest: number) => {
    const texts = Object.entries(values).map(([name, value]) => ({ name, text: unmarked(jsonOf(value)) }));
    if (texts.length === 0) return '';
    const fair = fairLimit(
      texts.map(({ text }) => text.length),
      longest,
    );
    const blocks = texts.map(({ name, text }) => page.block(`${kind}: ${name}`, show(text, Math.min(fair, longest))));
    return `${page.part(page.heading(heading), ...blocks)}\n\n`;
  };
  const askedOf = (questions: readonly Question[], room: number): string => {
    const texts = questions.map(({ name, instructions }) => ({ name, text: whole(instructions) }));
    const fair = fairLimit(
      texts.map(({ text }) => text.length),
      room,
    );
    return texts.map(({ name, text }) => `## ${name}\n${text.length > fair ? show(text, fair) : text}`).join('\n\n');
  };
  return (about, questions, facts) => {
    const known = blocksOf(facts, 'Facts that are known', 'fact', LONGEST_FACTS);
    // What travels together has the same data.
    const data = blocksOf(questions[0]?.data ?? {}, 'What is asked about goes with this', 'data', LONGEST_DATA);
    const asked = askedOf(questions, LONGEST_INSTRUCTIONS - data.length);
    return `${known}${data}# ${questions.length === 1 ? 'Question' : 'Questions'} ${about}\n\n${asked}`;
  };
}

/** As a person reads it: a field on each line. */
function jsonOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? textOf(value));
}
