import * as z from 'zod';

/** How many answers to a question are combined; ADK's `num_samples`. */
export const judgeSamples = z.int().positive().optional();
