import * as z from 'zod';
import type { ScaleName } from '../../core/scale.ts';
import { isUserFunction, type UserFunction } from '../../sandbox/module-function.ts';
import { threshold } from '../threshold-schema.ts';

/** The scales that a custom metric may have. */
export const CUSTOM_SCALES = ['unit', 'likert', 'binary', 'label'] as const satisfies readonly ScaleName[];

const text = z.string().min(1);
const count = z.int().positive();

const HOUR_MS = 3_600_000;

const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

const callable = z.custom<UserFunction>(
  isUserFunction,
  'must be a function, which only code has: write a "rubric" instead, or the configuration as turnwise.config.ts',
);

/** An entry of `custom`: a custom metric. */
export const customSchema = z.strictObject({
  name: z
    .string()
    .refine((name) => SNAKE_CASE.test(name), 'must be in snake case, such as "tone_of_voice"')
    .meta({ pattern: SNAKE_CASE.source }),
  /** A sentence for people. */
  question: text.optional(),
  scope: z.enum(['turn', 'session']).default('turn'),
  scale: z.enum(CUSTOM_SCALES).default('likert'),
  threshold: threshold.optional(),
  /** For the scale `label`. */
  labels: z
    .array(text)
    .refine((labels) => labels.length >= 2, 'must have two labels or more')
    .meta({ minItems: 2 })
    .optional(),
  optIn: z.boolean().default(false),
  /** What a judge looks for, in plain words. */
  rubric: text.optional(),
  samples: count.optional(),
  /** In TypeScript and JavaScript only. */
  evaluate: callable.optional(),
  /** Metrics whose results the function reads. */
  uses: z.array(text).optional(),
  /** The time limit of one call. */
  timeoutMs: count.max(HOUR_MS).optional(),
});
