import * as z from 'zod';

/**
 * An enumeration of labels in lower case with `_` between words, which accepts any case, spaces and hyphens. Its JSON
 * Schema is a plain enumeration.
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
