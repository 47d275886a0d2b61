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

/** Whether a cut here would split a surrogate pair. */
function splitsSurrogatePair(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1));
}
