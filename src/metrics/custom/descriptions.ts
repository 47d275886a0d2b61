import type { CustomDefinition, FunctionDefinition } from './definition.ts';

/** The beginning of a sentence about a function, with its file and line if they are known. */
export function describeFunction({ name, evaluate }: FunctionDefinition, line?: number): string {
  if (typeof evaluate === 'function') return `The function of ${name}`;
  return `${evaluate.displayName}${line === undefined ? '' : `:${line}`}: the function of ${name}`;
}

const MAX_QUESTION_CHARS = 160;

/** The question of a metric, as one sentence. */
export function questionText({ name, question, rubric }: CustomDefinition): string {
  if (question !== undefined) return question;
  if (rubric === undefined) return `What does the function of ${name} return?`;
  const text = rubric.trim().replace(/\s+/g, ' ');
  return text.length > MAX_QUESTION_CHARS ? `${text.slice(0, MAX_QUESTION_CHARS - 1)}…` : text;
}
