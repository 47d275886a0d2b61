import { escapeInvisible } from '../judge/prompting/trace-text.ts';

/**
 * Text of a prompt for a terminal: what cannot be seen is made visible, and every line stands behind a mark, so that none
 * in a trace can pass for one of ours. Ends with a line break.
 */
export function promptLines(text: string): string {
  return escapeInvisible(text)
    .split('\n')
    .map((line) => (line === '' ? '│\n' : `│ ${line}\n`))
    .join('');
}
