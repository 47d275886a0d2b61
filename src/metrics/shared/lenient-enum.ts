import * as z from 'zod';

/**
 * One of some labels, written in lower case with `_` between words; a model may write it in any case, with spaces or
 * hyphens. In a JSON Schema it is a plain enumeration.
 */
export function lenientEnum<const Label extends string>(labels: readonly Label[]) {
  return z.preprocess(
    (written) =>
      typeof written === 'string'
        ? written
            .trim()
            .toLowerCase()
            .replace(/[\s-]+/g, '_')
        : written,
    z.enum(labels),
  );
}
