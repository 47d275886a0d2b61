import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { sampleFromSchema } from '../../../src/app/sample-from-schema.ts';
import { buildBatchSchema, toQuestionSchema } from '../../../src/judge/strict-schema.ts';

/** Schemas of the kinds that questions are made of. */
const answers: fc.Arbitrary<z.ZodType> = fc.letrec<{ any: z.ZodType; leaf: z.ZodType }>((tie) => ({
  leaf: fc.oneof(
    fc.constant(z.string()),
    fc.constant(z.string().describe('why').nullable()),
    fc.constant(z.boolean()),
    fc.constant(z.number()),
    fc.tuple(fc.integer(), fc.nat()).map(([from, by]) =>
      z
        .number()
        .min(from)
        .max(from + by),
    ),
    fc.tuple(fc.integer(), fc.nat()).map(([from, by]) =>
      z
        .int()
        .gt(from)
        .max(from + 1 + by),
    ),
    fc.integer().map((to) => z.number().max(to)),
    fc.uniqueArray(fc.string(), { minLength: 1 }).map((ids) => z.enum(ids)),
    fc.constant(z.literal('yes')),
    fc.constant(z.literal([0, 1])),
    fc.constant(z.string().nullish()),
  ),
  any: fc.oneof(
    { depthSize: 'small' },
    tie('leaf'),
    fc.tuple(tie('any'), fc.nat(3)).map(([item, count]) => z.array(item).length(count)),
    tie('any').map((item) => z.array(item)),
    fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), tie('any')).map((shape) => z.object(shape)),
  ),
})).any;

const schemaOf = (answers: Readonly<Record<string, z.ZodType>>) =>
  buildBatchSchema(new Map(Object.entries(answers).map(([name, answer]) => [name, toQuestionSchema(answer)])));

describe('sampleFromSchema', () => {
  it('fits the schema of any answer, so that an estimate needs no second question', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), answers, { minKeys: 1 }), (questions) => {
        const schema = schemaOf(questions);
        expect(z.object(questions).safeParse(sampleFromSchema(schema)).error).toBeUndefined();
      }),
    );
  });

  it('resolves enumerations that are defined once', () => {
    const id = z.enum(['a', 'b', 'c', 'd', 'e', 'f']);
    const schema = schemaOf({ x: z.object({ evidence: z.array(id) }), y: z.array(id) });
    expect(JSON.stringify(schema)).toContain('$ref');
    expect(sampleFromSchema(schema)).toEqual({ x: { evidence: ['a'] }, y: ['a'] });
  });

  it('names each of several values once, with the best scores', () => {
    const verdict = z.object({
      call: z.enum(['a', 'b', 'c']),
      verdict: z.enum(['yes', 'no']),
      score: z.literal([0, 1]),
    });
    expect(sampleFromSchema(schemaOf({ x: z.array(verdict).length(3) }))).toEqual({
      x: ['a', 'b', 'c'].map((call) => ({ call, verdict: 'yes', score: 1 })),
    });
  });

  it('includes optional values', () => {
    expect(sampleFromSchema(schemaOf({ x: z.string().nullish() }))).toEqual({ x: expect.stringMatching(/.{60}/) });
  });

  it('is about as long as a real answer', () => {
    const reason = schemaOf({ x: z.object({ reason: z.string() }) });
    expect(JSON.stringify(sampleFromSchema(reason)).length).toBeGreaterThan(60);
  });
});
