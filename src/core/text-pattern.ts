/** A kind of value that can be told by its form. */
export interface TextPattern<Kind extends string = string> {
  readonly kind: Kind;
  /**
   * Global, and linear on any text. Where it has a group `value` (and the flag `d`), that part is the value, and the
   * rest says what stands around it.
   */
  readonly form: RegExp;
  /** What the form cannot say: a checksum, or that it is no placeholder. */
  readonly holds?: (value: string) => boolean;
  /** What the text must speak of somewhere, where the form alone says too little. */
  readonly context?: RegExp;
}

/** Where a text holds a value, in UTF-16 code units; `end` is behind its last. */
export interface Occurrence<Kind extends string = string> {
  readonly kind: Kind;
  readonly start: number;
  readonly end: number;
}

/** The values in a text, in their order and without overlaps; of two at one place, the pattern that comes first wins. */
export function occurrences<Kind extends string>(
  text: string,
  patterns: readonly TextPattern<Kind>[],
): Occurrence<Kind>[] {
  const found = patterns.flatMap(({ kind, form, holds, context }) => {
    const ofKind: Occurrence<Kind>[] = [];
    for (const match of text.matchAll(form)) {
      const [start, end] = match.indices?.groups?.value ?? [match.index, match.index + match[0].length];
      if (holds?.(text.slice(start, end)) ?? true) ofKind.push({ kind, start, end });
    }
    return ofKind.length > 0 && (context?.test(text) ?? true) ? ofKind : [];
  });
  let free = 0;
  return found
    .sort((a, b) => a.start - b.start)
    .filter(({ start, end }) => {
      const isFree = start >= free;
      if (isFree) free = end;
      return isFree;
    });
}
