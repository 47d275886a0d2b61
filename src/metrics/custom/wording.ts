import type { CustomDefinition, FunctionDefinition } from './definition.ts';

/** The beginning of a sentence about a function, with its file and the line, where they are known. */
export function functionOf({ name, evaluate }: FunctionDefinition, line?: number): string {
  if (typeof evaluate === 'function') return `The function of ${name}`;
  return `${evaluate.shown}${line === undefined ? '' : `:${line}`}: the function of ${name}`;
}

const LONGEST = 160;

/** What a metric asks, as one sentence. */
export function questionOf({ name, question, rubric }: CustomDefinition): string {
  if (question !== undefined) return question;
  if (rubric === undefined) return `What does the function of ${name} say?`;
  const text = rubric.trim().replace(/\s+/g, ' ');
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
