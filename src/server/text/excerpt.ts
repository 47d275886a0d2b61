import { asText } from '../../core/json.ts';
import type { TextExcerpt } from '../../protocol/report-values.ts';

/** A text as far as a panel shows it. */
export function excerpt(text: string, limit: number): TextExcerpt {
  if (text.length <= limit) return { text, omitted: 0 };
  const end = splitsSurrogatePair(text, limit) ? limit - 1 : limit;
  return { text: text.slice(0, end), omitted: text.length - end };
}

/** A sentence or a name, which nobody reads to the end when it is this long. */
export function truncate(text: string, limit: number): string {
  const { text: beginning, omitted } = excerpt(text, limit);
  return omitted === 0 ? text : `${beginning}…`;
}

/** The arguments of a call: `amount: 425, order_id: "A-1001"`. */
export function formatArguments(given: Readonly<Record<string, unknown>> | string): string {
  if (typeof given === 'string') return given;
  return Object.entries(given)
    .map(([name, value]) => `${name}: ${tooDeepOr(() => JSON.stringify(value) ?? '')}`)
    .join(', ');
}

/** What a call gave back: text stays text, everything else is JSON. */
export function formatResult(value: unknown): string {
  return tooDeepOr(() => asText(value));
}

function tooDeepOr(write: () => string): string {
  try {
    return write();
  } catch {
    return '(nested deeper than can be shown)';
  }
}

/** Whether cutting there would tear a character in two. */
function splitsSurrogatePair(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1));
}
