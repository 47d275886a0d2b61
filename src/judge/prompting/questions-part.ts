import { memoizeRecent } from '../../core/cache/memoize.ts';
import type { FactValues, Question } from '../question.ts';
import { toText } from './excerpt.ts';
import type { PromptWriter } from './prompt-writer.ts';
import { fairLimit } from './shorten.ts';
import type { RenderText } from './trace-text.ts';

/** At most so many characters are shown of all instructions with their data, of the data alone, and of all facts. */
const MAX_INSTRUCTIONS_LENGTH = 24_000;
const MAX_DATA_LENGTH = 9000;
const MAX_FACTS_LENGTH = 4000;

/** What a prompt keeps free for them, with the names and headings around them. */
export const QUESTIONS_LENGTH = MAX_INSTRUCTIONS_LENGTH + MAX_FACTS_LENGTH + 2000;

/** Instructions are the same for most turns. */
const MAX_CACHED_INSTRUCTIONS = 100;

/** Writes the last part of a prompt: the facts, as data, and what is asked. */
export function createQuestionsWriter(
  boundary: string,
  page: PromptWriter,
  show: RenderText,
): (about: string, questions: readonly Question[], facts: FactValues) => string {
  // Facts are a model's words, and instructions may quote the trace: neither may have the marker.
  const unmarked = (text: string) => text.replaceAll(boundary, '(marker)');
  const whole = memoizeRecent((text: string) => unmarked(show(text, MAX_INSTRUCTIONS_LENGTH)), MAX_CACHED_INSTRUCTIONS);

  const blocksOf = (values: Readonly<Record<string, unknown>>, heading: string, kind: string, longest: number) => {
    const texts = Object.entries(values).map(([name, value]) => ({ name, text: unmarked(toReadableJson(value)) }));
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
    const known = blocksOf(facts, 'Facts that are known', 'fact', MAX_FACTS_LENGTH);
    // What travels together has the same data.
    const data = blocksOf(questions[0]?.data ?? {}, 'What is asked about goes with this', 'data', MAX_DATA_LENGTH);
    const asked = askedOf(questions, MAX_INSTRUCTIONS_LENGTH - data.length);
    return `${known}${data}# ${questions.length === 1 ? 'Question' : 'Questions'} ${about}\n\n${asked}`;
  };
}

/** As a person reads it: a field on each line. */
function toReadableJson(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? toText(value));
}
