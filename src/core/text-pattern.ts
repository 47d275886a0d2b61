/** A kind of value that is recognized by its form. */
export interface TextPattern<Kind extends string = string> {
  readonly kind: Kind;
  /**
   * Global, and linear on any text. Where it has a group `value` (and the flag `d`), that part is the value, and the
   * rest says what stands around it.
   */
  readonly regex: RegExp;
  /** Text that every match contains: a text without it is not searched. */
  readonly requiredText?: string;
  /** Checks what the expression cannot: a checksum, or that it is no placeholder. */
  readonly validate?: (value: string) => boolean;
  /** The text must match this anywhere, if the expression alone is too weak. */
  readonly context?: RegExp;
}

/** The range of a match, in UTF-16 code units; `end` is exclusive. */
export interface PatternMatch<Kind extends string = string> {
  readonly kind: Kind;
  readonly start: number;
  readonly end: number;
}

/** The matches in a text, in order and without overlaps; of two at one position, the first pattern wins. */
export function matchPatterns<Kind extends string>(
  text: string,
  patterns: readonly TextPattern<Kind>[],
): PatternMatch<Kind>[] {
  const matches: PatternMatch<Kind>[] = [];
  for (const pattern of patterns) {
    if (text.includes(pattern.requiredText ?? '') && text.search(pattern.regex) >= 0)
      matches.push(...matchPattern(text, pattern));
  }
  let free = 0;
  return matches
    .sort((a, b) => a.start - b.start)
    .filter(({ start, end }) => {
      const isFree = start >= free;
      if (isFree) free = end;
      return isFree;
    });
}

function matchPattern<Kind extends string>(
  text: string,
  { kind, regex: form, validate: holds, context }: TextPattern<Kind>,
): PatternMatch<Kind>[] {
  const matches: PatternMatch<Kind>[] = [];
  for (const match of text.matchAll(form)) {
    const [start, end] = match.indices?.groups?.value ?? [match.index, match.index + match[0].length];
    if (holds?.(text.slice(start, end)) ?? true) matches.push({ kind, start, end });
  }
  return matches.length > 0 && (context?.test(text) ?? true) ? matches : [];
}

const ASCII = 128;

/**
 * Tells of a text whether it has so many characters of a kind in a row. It looks where a run would end, so that most of
 * a text without one is never looked at: a quick way to know that no long value stands in it.
 */
export function runFinder(kind: RegExp, length: number): (text: string) => boolean {
  const isOfKind = Uint8Array.from({ length: ASCII }, (_, code) => Number(kind.test(String.fromCharCode(code))));
  return (text) => {
    let from = 0;
    for (let end = length - 1; end < text.length; end = from + length - 1) {
      let at = end;
      while (at >= from && isOfKind[text.charCodeAt(at)] === 1) at -= 1;
      if (at < from) return true;
      from = at + 1;
    }
    return false;
  };
}
