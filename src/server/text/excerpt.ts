import { asText } from '../../core/json.ts';
import type { TextExcerpt } from '../../protocol/report-values.ts';

/** A text, cut to the panel's limit. */
export function excerpt(text: string, limit: number): TextExcerpt {
  if (text.length <= limit) return { text, omitted: 0 };
  const end = splitsSurrogatePair(text, limit) ? limit - 1 : limit;
  return { text: text.slice(0, end), omitted: text.length - end };
}

/** Cuts a sentence or a name, with an ellipsis. */
export function truncate(text: string, limit: number): string {
  const { text: beginning, omitted } = excerpt(text, limit);
  return omitted === 0 ? text : `${beginning}…`;
}

/** The arguments of a call: `amount: 425, order_id: "A-1001"`. */
export function formatArguments(args: Readonly<Record<string, unknown>> | string): string {
  if (typeof args === 'string') return args;
  return Object.entries(args)
    .map(([name, value]) => `${name}: ${tooDeepOr(() => JSON.stringify(value) ?? '')}`)
    .join(', ');
}

/** The result of a call: text as it is, anything else as JSON. */
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

/** Whether a cut here would split a surrogate pair. */
function splitsSurrogatePair(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1));
}
