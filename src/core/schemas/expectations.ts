import * as z from 'zod/mini';

/** What a test says must hold of a turn or of a session. A recorded trace can have it too, in the file or beside it. */

/**
 * How the calls that were made are compared with the expected ones. `strict`: exactly these, in this order. `unordered`:
 * exactly these, in any order. `contains`: these in this order, among others. `unordered-contains`: these in any order, among
 * others. `within`: none but these, each at most as often.
 */
export const CALL_MATCH_MODES = ['strict', 'unordered', 'contains', 'unordered-contains', 'within'] as const;

/** `partial`: the expected arguments and what is inside them, among others. */
export const ARGUMENT_MATCH_MODES = ['exact', 'partial', 'ignore'] as const;

export const expectedToolCallSchema = z.object({
  name: z.string(),
  args: z.optional(z.record(z.string(), z.unknown())),
  /** Default: `partial` with `args`, `ignore` without. */
  argMatchMode: z.optional(z.enum(ARGUMENT_MATCH_MODES)),
});

export const callExpectationSchema = z.object({
  /** Default: `strict`. */
  matchMode: z.optional(z.enum(CALL_MATCH_MODES)),
  expected: z.array(expectedToolCallSchema),
  /** Names of tools, or calls with these arguments; in a name, `*` stands for any characters. */
  forbidden: z.optional(z.array(z.union([z.string(), expectedToolCallSchema]))),
});

export const answerExpectationSchema = z.object({
  equals: z.optional(z.string()),
  /** All of them, in any case. */
  contains: z.optional(z.array(z.string())),
  excludes: z.optional(z.array(z.string())),
});

export const expectationsSchema = z.object({
  toolCalls: z.optional(callExpectationSchema),
  /** Of a session, its last answer. */
  answer: z.optional(answerExpectationSchema),
  /** Ids of rules that must find nothing; `*` stands for any characters, and then only problems count. */
  noFindings: z.optional(z.array(z.string())),
});

/** What editors say about the keys of expectations. */
export const EXPECTATION_DESCRIPTIONS = {
  matchMode:
    'How calls are compared: exactly these in this order (strict, the default), in any order (unordered), in this order among others (contains), in any order among others (unordered-contains), or none but these (within).',
  expected: 'The calls that are expected.',
  forbidden:
    'Names of tools that must not be called, or calls with arguments that must not be made. In a name, * stands for any characters.',
  args: 'The arguments of the call.',
  argMatchMode:
    'How arguments are compared: all of them (exact), these and what is in them among others (partial), or not at all (ignore).',
  answer: 'What the answer must say.',
  equals: 'The whole answer.',
  contains: 'Texts that the answer has, in any case.',
  excludes: 'Texts that the answer does not have, in any case.',
  noFindings: 'Ids of rules that must find nothing. * stands for any characters.',
} as const;
