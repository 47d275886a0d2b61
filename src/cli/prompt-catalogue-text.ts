import {
  BOUNDARY_PLACEHOLDER,
  type CatalogueEntry,
  type CatalogueQuestion,
  type PromptCatalogue,
} from '../app/prompt-catalogue.ts';
import type { SimulatedUserPrompt } from '../app/simulated-user-prompt.ts';
import { padEnd, sanitizeLine, wrap } from '../reports/terminal-text.ts';
import { type AnswerField, answerFields } from './answer-fields.ts';
import { promptLines } from './prompt-lines.ts';

/** The catalogue as text. @param columns width of our own sentences; prompts are printed unwrapped. */
export function* promptCatalogueText(catalogue: PromptCatalogue, columns: number): Generator<string> {
  const { system, layout, facts, askers } = catalogue;
  const say = (text: string) => `${wrap(text, Math.min(100, columns)).join('\n')}\n`;
  yield '# System prompt\n';
  yield say('The same in every call.');
  yield `${promptLines(system)}\n`;
  yield '# Layout of a call\n';
  yield say(
    `The lines that Turnwise adds in a call about the second turn of a built-in example. The text of the trace is between them. ${BOUNDARY_PLACEHOLDER} stands for 16 hexadecimal digits, derived for each session from a key of this installation. Questions about one turn share a call, up to the configured number. The answer is one JSON object with a key for each question.`,
  );
  yield `${layout.map((part) => promptLines(part.join('\n'))).join('\n')}\n`;
  if (facts.length > 0) {
    yield '# Facts\n';
    yield say('Asked before the questions that depend on them, once per turn for all metrics.');
    for (const fact of facts) yield* questionLines(fact, say);
  }
  for (const asker of askers) yield* metricQuestionLines(asker, say);
}

/** The prompt of the simulated user as text. */
export function* simulatedUserText(
  { system, first, next, answer }: SimulatedUserPrompt,
  columns: number,
): Generator<string> {
  yield '# simulated_user\n';
  yield `${wrap('Plays the user of a scenario without turns: one call for each message. A userPromptTemplate stands in place of the first four lines.', Math.min(100, columns)).join('\n')}\n`;
  yield promptLines(system);
  yield 'At the beginning:\n';
  yield promptLines(first.join('\n\n'));
  yield 'Then:\n';
  yield promptLines(next.join('\n\n'));
  yield 'Answer:\n';
  yield* fieldLines(answerFields(answer), '  ');
}

type WrapText = (text: string) => string;

function* metricQuestionLines({ metric, questions }: CatalogueEntry, say: WrapText): Generator<string> {
  yield `# ${metric?.name ?? 'The run'}\n`;
  if (metric) yield say(`${sanitizeLine(metric.question)} Asked for each ${metric.scope}.`);
  for (const question of questions) yield* questionLines(question, say);
}

function* questionLines(question: CatalogueQuestion, say: WrapText): Generator<string> {
  const { name, instructions, sees, facts, data, samples, answer } = question;
  const notes = [
    facts.length > 0 ? `depends on ${facts.join(', ')}` : '',
    sees === 'facts' ? 'contains no part of the trace if it is asked alone' : '',
    data.length > 0 ? `contains ${data.join(', ')} as data, and shares its call only with questions that do too` : '',
    samples === null ? '' : `is asked ${samples === 1 ? 'once' : `${samples} times`}`,
  ].filter((note) => note !== '');
  yield '\n';
  yield `## ${name}\n`;
  if (notes.length > 0) yield say(`It ${notes.join('; it ')}.`);
  yield promptLines(instructions);
  yield 'Answer:\n';
  yield* fieldLines(answerFields(answer), '  ');
  yield '\n';
}

function* fieldLines(fields: readonly AnswerField[], indent: string): Generator<string> {
  const names = Math.max(0, ...fields.map(({ name }) => name.length));
  for (const { name, kind, description, fields: inner } of fields) {
    yield `${indent}${padEnd(name, names)}  ${kind}${description === '' ? '' : `: ${description}`}\n`;
    yield* fieldLines(inner, `${indent}    `);
  }
}
