import * as z from 'zod';

/** How a threshold on a scale of 0 to 1 may be written as text. */
export const PERCENTAGE = /^\d+(\.\d+)?%$/;

/** A threshold on a metric's own scale, or a percentage as text such as "85%" where the scale is 0 to 1. */
export const threshold = z.union([
  z.number(),
  z
    .string()
    .regex(PERCENTAGE)
    .meta({ examples: ['85%'] })
    .transform((percentage) => Number(percentage.slice(0, -1)) / 100),
]);
