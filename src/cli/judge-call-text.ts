import { isObject, type JsonObject } from '../core/json.ts';
import { redactSecrets } from '../core/secrets.ts';
import { RETRY_HEADING } from '../judge/ask-batch.ts';
import { extractObject } from '../judge/parse-answer.ts';
import type { CallLog } from '../llm/chat-client.ts';
import { sanitizeLine } from '../reports/terminal-text.ts';
import { jsonValueLines } from './json-value-lines.ts';

/**
 * Formats calls to a judge for `--verbose`: each question with its answer. The text of a question is printed the first time.
 * The excerpts of the trace are left out.
 */
export function createCallFormatter(): (call: CallLog) => string {
  const known = new Map<string, string>();
  return ({ name, prompt, answer, failure, usage, cached, ms }) => {
    const facts = [
      cached ? 'from the cache' : `${Math.round(ms)} ms`,
      usage ? `${usage.promptTokens} tokens in, ${usage.completionTokens} out` : '',
    ].filter((fact) => fact !== '');
    const { about, names } = parseCallName(name);
    const { questions, complaints } = parseQuestions(prompt.parts, names);
    const answers = answer === null ? null : extractObject(answer, names);
    const isNew = (question: string) => known.get(question) !== questions.get(question);
    const listedQuestions = names.filter((question) => answers !== null || isNew(question));
    const before = names.filter((question) => !listedQuestions.includes(question));
    const lines = listedQuestions.flatMap((question) => [
      `  ${sanitizeLine(question)}`,
      ...(isNew(question) ? textBlock('    asked', questions.get(question) ?? '') : []),
      ...(answers === null ? [] : answerLines(answers, question, names)),
    ]);
    for (const [question, text] of questions) known.set(question, text);
    return [
      `judge: ${sanitizeLine(about)} (${facts.join(', ')})`,
      ...textBlock('  retried because', complaints),
      ...lines,
      ...(before.length === 0 ? [] : [`  same questions as before: ${sanitizeLine(before.join(', '))}`]),
      ...(answer !== null && answers === null ? textBlock('  answered', answer) : []),
      ...(failure === null ? [] : textBlock('  failed', failure)),
      '',
    ].join('\n');
  };
}

/** `session s, turn 1: task, helpfulness`, in its parts. */
function parseCallName(name: string): { about: string; names: readonly string[] } {
  const at = name.lastIndexOf(': ');
  return at < 0 ? { about: name, names: [] } : { about: name.slice(0, at), names: name.slice(at + 2).split(', ') };
}

/** The text of each question in the prompt, and the errors of the previous answer. */
function parseQuestions(parts: readonly string[], names: readonly string[]) {
  // All that follows may contain any text.
  const [asked = ''] = parts;
  const texts = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of asked.split('\n')) {
    const name = line.startsWith('## ') ? line.slice(3) : null;
    if (name !== null && names.includes(name) && !texts.has(name)) {
      current = [];
      texts.set(name, current);
    } else current.push(line);
  }
  const questions = new Map([...texts].map(([name, lines]) => [name, lines.join('\n').trim()]));
  const last = parts.at(-1) ?? '';
  const again = last.startsWith(RETRY_HEADING) ? last.split('\n') : [];
  return { questions, complaints: again.filter((line) => line.startsWith('- ')).join('\n') };
}

/** Models often leave out the key of the only question. */
function answerLines(answers: JsonObject, question: string, names: readonly string[]): string[] {
  const isBare = names.length === 1 && !Object.hasOwn(answers, question);
  const value = isBare ? answers : answers[question];
  if (value === undefined) return ['    answered: nothing'];
  const lines = jsonValueLines(value).map((line) => `      ${line}`);
  return isObject(value) ? ['    answered:', ...lines] : [`    answered: ${lines.join(' ').trim()}`];
}

/** A text under a title. One line stays on the line of the title; an empty text gives nothing. */
function textBlock(title: string, text: string): string[] {
  const lines = redactSecrets(text)
    .trim()
    .split(/\r?\n/)
    .map((line) => sanitizeLine(line));
  if (lines.length === 1) return lines[0] === '' ? [] : [`${title}: ${lines[0]}`];
  const indent = ' '.repeat(title.length - title.trimStart().length + 2);
  return [`${title}:`, ...lines.map((line) => `${indent}${line}`.trimEnd())];
}
