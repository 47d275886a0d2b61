import { escapeInvisible } from '../judge/prompting/trace-text.ts';

/**
 * Text of a prompt for a terminal: invisible characters are made visible, and every line is prefixed with a mark, so that text
 * of a trace cannot look like output of Turnwise. Ends with a line break.
 */
export function promptLines(text: string): string {
  return escapeInvisible(text)
    .split('\n')
    .map((line) => (line === '' ? '│\n' : `│ ${line}\n`))
    .join('');
}
