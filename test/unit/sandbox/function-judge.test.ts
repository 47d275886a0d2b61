import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import { createFunctionJudge, type FunctionQuestion } from '../../../src/sandbox/function-judge.ts';

async function ask(schema: unknown, value: unknown, options?: { text: string }) {
  const functionQuestions: FunctionQuestion[] = [];
  const judge = createFunctionJudge(async (question) => {
    functionQuestions.push(question);
    return { answered: true, value };
  });
  return { answer: await judge('Is it friendly?', schema, options), questions: functionQuestions };
}

describe('the judge of a function', () => {
  it.each([
    ['JSON Schema', { type: 'object', properties: { score: { type: 'number' } }, required: ['score'] }],
    ['zod 4', z.object({ score: z.number() })],
    ['zod 3', z3.object({ score: z3.number() })],
  ])('reads a schema of %s', async (_, schema) => {
    const { answer, questions } = await ask(schema, { score: 4 });
    expect(answer).toEqual({ score: 4 });
    expect(questions).toMatchObject([
      {
        instructions: 'Is it friendly?',
        schema: { type: 'object', properties: { score: { type: 'number' } }, required: ['score'] },
      },
    ]);
  });

  it('converts the types of zod 3 that an answer can have', async () => {
    const schema = z3
      .object({
        score: z3.number().int().min(1).max(5).describe('the score'),
        label: z3.enum(['a', 'b']),
        tags: z3.array(z3.string()).optional(),
        sure: z3.boolean().nullable(),
        either: z3.union([z3.literal(1), z3.string()]).default('x'),
      })
      .transform((value) => value.score);
    const value = { score: 2, label: 'a', sure: null, either: 1 };
    const { answer, questions } = await ask(schema, value);
    expect(answer).toBe(2);
    expect(questions[0]?.schema).toEqual({
      type: 'object',
      properties: {
        score: { type: 'integer', minimum: 1, maximum: 5, description: 'the score' },
        label: { type: 'string', enum: ['a', 'b'] },
        tags: { type: 'array', items: { type: 'string' } },
        sure: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
        either: { anyOf: [{ const: 1 }, { type: 'string' }] },
      },
      required: ['score', 'label', 'tags', 'sure', 'either'],
    });
  });

  it('offers the values of an enum of numbers, and not its names', async () => {
    // As TypeScript compiles `enum { Low, High }`.
    const level = { Low: 0, High: 1, 0: 'Low', 1: 'High' } as const;
    const { questions } = await ask(z3.object({ level: z3.nativeEnum(level) }), { level: 1 });
    expect(questions[0]?.schema).toMatchObject({ properties: { level: { enum: [0, 1] } } });
  });

  it('refuses what is no schema, and types that JSON lacks', async () => {
    await expect(ask(5, {})).rejects.toThrow('must be a zod schema or a JSON Schema');
    await expect(ask(z3.object({ at: z3.date() }), {})).rejects.toThrow('cannot contain ZodDate');
  });

  it('throws without an answer', async () => {
    const judge = createFunctionJudge(async () => ({ answered: false, reason: 'the server is gone.' }));
    await expect(judge('Why?', {})).rejects.toThrow('The judge gave no answer: the server is gone.');
  });
});
