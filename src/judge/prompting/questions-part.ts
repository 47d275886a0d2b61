import { memoizeRecent } from '../../core/cache/memoize.ts';
import type { FactValues, Question } from '../question.ts';
import { toText } from './excerpt.ts';
import type { PromptWriter } from './prompt-writer.ts';
import { fairLimit } from './shorten.ts';
import type { RenderText } from './trace-text.ts';

/** Of all instructions with their data, of the data alone, and of all facts, in characters. */
const MAX_INSTRUCTIONS_LENGTH = 24_000;
const MAX_DATA_LENGTH = 9000;
const MAX_FACTS_LENGTH = 4000;

/** What a prompt reserves for them, with the names and headings around them. */
export const QUESTIONS_LENGTH = MAX_INSTRUCTIONS_LENGTH + MAX_FACTS_LENGTH + 2000;

/** Instructions are the same for most turns. */
const MAX_CACHED_INSTRUCTIONS = 100;

/** Writes the last part of a prompt: the facts, as data, and the questions. */
export function createQuestionsWriter(
  boundary: string,
  writer: PromptWriter,
  render: RenderText,
): (about: string, questions: readonly Question[], facts: FactValues) => string {
  // A model wrote the facts, and instructions may quote the trace: neither may contain the marker.
  const withoutBoundary = (text: string) => text.replaceAll(boundary, '(marker)');
  const renderInstructions = memoizeRecent(
    (text: string) => withoutBoundary(render(text, MAX_INSTRUCTIONS_LENGTH)),
    MAX_CACHED_INSTRUCTIONS,
  );

  const renderValues = (
    values: Readonly<Record<string, unknown>>,
    heading: string,
    kind: string,
    maxLength: number,
  ) => {
    const texts = Object.entries(values).map(([name, value]) => ({
      name,
      text: withoutBoundary(toReadableJson(value)),
    }));
    if (texts.length === 0) return '';
    const fair = fairLimit(
      texts.map(({ text }) => text.length),
      maxLength,
    );
    const blocks = texts.map(({ name, text }) =>
      writer.block(`${kind}: ${name}`, render(text, Math.min(fair, maxLength))),
    );
    return `${writer.part(writer.heading(heading), ...blocks)}\n\n`;
  };
  const renderQuestions = (questions: readonly Question[], room: number): string => {
    const texts = questions.map(({ name, instructions }) => ({ name, text: renderInstructions(instructions) }));
    const fair = fairLimit(
      texts.map(({ text }) => text.length),
      room,
    );
    return texts.map(({ name, text }) => `## ${name}\n${text.length > fair ? render(text, fair) : text}`).join('\n\n');
  };
  return (about, questions, facts) => {
    const factsPart = renderValues(facts, 'Facts that are known', 'fact', MAX_FACTS_LENGTH);
    // Questions in one call have the same data.
    const data = renderValues(questions[0]?.data ?? {}, 'What is asked about goes with this', 'data', MAX_DATA_LENGTH);
    const questionsPart = renderQuestions(questions, MAX_INSTRUCTIONS_LENGTH - data.length);
    return `${factsPart}${data}# ${questions.length === 1 ? 'Question' : 'Questions'} ${about}\n\n${questionsPart}`;
  };
}

/** One field per line. */
function toReadableJson(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? toText(value));
}
