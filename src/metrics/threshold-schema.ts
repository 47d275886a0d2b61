import * as z from 'zod';

/** A threshold on a scale of 0 to 1 as text. */
export const PERCENTAGE = /^\d+(\.\d+)?%$/;

/** A threshold on a metric's own scale, or a percentage as text such as "85%" if the scale is 0 to 1. */
export const threshold = z.union([
  z.number(),
  z
    .string()
    .regex(PERCENTAGE)
    .meta({ examples: ['85%'] })
    .transform((percentage) => Number(percentage.slice(0, -1)) / 100),
]);
