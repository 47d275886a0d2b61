import { memoizeRecent } from '../../core/cache/memoize.ts';
import type { FactValues, Question, QuestionPair } from '../question.ts';
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

/** Writes what is asked. */
export interface QuestionsWriter {
  /** The first part of a prompt: the same for all turns that are asked the same. */
  questions(questions: readonly Question[]): string;
  /** The last one: facts, as data, and what the questions are about. */
  target(about: string, questions: readonly Question[], facts: FactValues): string;
  /** The last part of a prompt that asks the same, without data, about two turns. @param first its number, from 1 */
  pair(first: number, questions: QuestionPair): string;
}

export function createQuestionsWriter(boundary: string, writer: PromptWriter, render: RenderText): QuestionsWriter {
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
  // Questions in one call have the same data.
  const renderData = ([first]: readonly Question[]) =>
    renderValues(first?.data ?? {}, 'What is asked about goes with this', 'data', MAX_DATA_LENGTH);
  return {
    questions: (questions) => {
      const room = MAX_INSTRUCTIONS_LENGTH - renderData(questions).length;
      return `# ${questionWord(questions)}\n\n${renderQuestions(questions, room)}`;
    },
    target: (about, questions, facts) => {
      const factsPart = renderValues(facts, 'Facts that are known', 'fact', MAX_FACTS_LENGTH);
      const word = questionWord(questions).toLowerCase();
      return `${factsPart}${renderData(questions)}# Your answer\n\nAnswer the ${word} at the top ${about}.`;
    },
    pair: (first, [ofFirst, ofSecond]) => `# Your answer

Answer the ${questionWord(ofFirst).toLowerCase()} at the top twice, each turn for itself: under "first" ${namesBeside(ofFirst, ofSecond)}about turn ${first}, and under "second" ${namesBeside(ofSecond, ofFirst)}about turn ${first + 1}. Answer about turn ${first} as if the record ended with it: turn ${first + 1} counts neither for it nor against it, and none of its passages is cited.`,
  };
}

/** Names questions where others are asked about the other turn. */
function namesBeside(own: readonly Question[], others: readonly Question[]): string {
  const isSame = own.length === others.length && own.every((question) => others.includes(question));
  return isSame ? '' : `${own.map(({ name }) => name).join(', ')} `;
}

function questionWord({ length }: readonly Question[]): string {
  return length === 1 ? 'Question' : 'Questions';
}

/** One field per line. */
function toReadableJson(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? toText(value));
}
