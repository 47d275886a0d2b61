import { asText } from '../../core/json.ts';
import { redactSecrets } from '../../core/secrets.ts';
import type { ToolStep } from '../../core/session.ts';
import { joinWithAnd, limitList } from '../../core/text/lists.ts';

const MAX_VALUE_LENGTH = 60;
const MAX_QUOTE_LENGTH = 140;

/** Makes a text from a trace safe for a sentence: one line, shortened, without secrets and control characters. */
export function inlineText(text: string, longest = MAX_VALUE_LENGTH): string {
  const line = redactSecrets(text.slice(0, longest * 20))
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  if (line.length <= longest) return line;
  const letters = [...line];
  return letters.length > longest
    ? `${letters
        .slice(0, longest - 1)
        .join('')
        .trimEnd()}…`
    : line;
}

/** The name of a tool or an argument as inline code. */
export function codeSpan(name: string): string {
  return `\`${inlineText(name).replaceAll('`', "'")}\``;
}

/** A quoted sentence from the trace; it may be longer than a value. */
export function quoteText(text: string): string {
  return `"${inlineText(text, MAX_QUOTE_LENGTH)}"`;
}

/** Adds a full stop unless a quotation already ends the sentence. */
export function endSentence(sentence: string): string {
  return /[.!?…]"$/.test(sentence) ? sentence : `${sentence}.`;
}

/** A string in quotes, any other value as JSON. */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return `"${inlineText(value)}"`;
  try {
    return inlineText(asText(value));
  } catch {
    return 'a deeply nested value';
  }
}

/** ``with `order_id` "A-1001" and `amount` 425``. */
export function formatArguments(args: ToolStep['arguments']): string {
  if (typeof args === 'string') return `with ${formatValue(args)}`;
  const entries = Object.entries(args);
  if (entries.length === 0) return 'without arguments';
  return `with ${joinWithAnd(limitList(entries, 2, ([name, value]) => `${codeSpan(name)} ${formatValue(value)}`))}`;
}

/** `again`, or the number of repetitions after the first time. */
export function repeatCount(count: number): string {
  return count === 1 ? 'again' : `${count} more times`;
}

/** A turn as in sentences, where turns are counted from one. */
export function turnLabel(index: number): string {
  return `turn ${index + 1}`;
}
