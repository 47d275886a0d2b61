import type { CallLog } from '../judge/caller.ts';
import { plain } from '../reports/text.ts';

/**
 * A call to a judge, for `--verbose`: what was asked, and what it answered. What the judge was shown of the trace is left
 * out; in the questions and the answer, secrets were taken out before it was asked.
 */
export function callText({ name, prompt, answer, failure, usage, cached, ms }: CallLog): string {
  const facts = [
    cached ? 'from the cache' : `${Math.round(ms)} ms`,
    usage ? `${usage.promptTokens} tokens in, ${usage.completionTokens} out` : '',
  ].filter((fact) => fact !== '');
  return [
    `judge: ${plain(name)} (${facts.join(', ')})`,
    ...block('asked', prompt.parts.at(-1) ?? ''),
    ...(answer === null ? [] : block('answered', answer)),
    ...(failure === null ? [] : block('failed', failure)),
    '',
  ].join('\n');
}

function block(title: string, text: string): string[] {
  return text
    .trim()
    .split(/\r?\n/)
    .map((line, index) => `  ${index === 0 ? `${title}: ` : ''}${plain(line)}`);
}
