import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { answerFields } from '../../../src/cli/answer-fields.ts';
import { getObject } from '../../../src/core/json.ts';
import { createAnswerSchemas } from '../../../src/judge/answer-schemas.ts';
import type { AnswerContext } from '../../../src/judge/question.ts';

/** The fields of an answer as questions declare it. */
function fieldsOf(answer: (known: AnswerContext) => z.ZodType) {
  const question = { name: 'q', instructions: '', context: 'turn' as const, answer };
  const { schema } = createAnswerSchemas().of(question);
  return answerFields(getObject(getObject(schema, 'properties'), 'answer'));
}

const kinds = (answer: (known: AnswerContext) => z.ZodType) =>
  fieldsOf(answer).map(({ name, kind }) => `${name}: ${kind}`);

describe('answerFields', () => {
  it('says what each field may be', () => {
    expect(
      kinds(({ id, call }) =>
        z.object({
          evidence: z.array(id),
          call,
          one: id,
          reason: z.string().nullish(),
          score: z.int().min(1).max(5),
          share: z.number().min(0).max(1),
          count: z.int(),
          most: z.number().max(3),
          least: z.number().min(3),
          holds: z.boolean(),
          binary: z.literal([0, 1]),
          yes: z.literal('yes'),
          severity: z.enum(['low', 'high']).nullable(),
          both: z.array(z.string()).length(2),
          some: z.array(z.number()).min(1),
          few: z.array(z.int()).min(1).max(3),
          any: z.array(z.string()).max(3),
        }),
      ),
    ).toEqual([
      'evidence: a list of ids of passages',
      'call: the id of a call',
      'one: the id of a passage',
      'reason: a text, or null',
      'score: a whole number, 1 to 5',
      'share: a number, 0 to 1',
      'count: a whole number',
      'most: a number, at most 3',
      'least: a number, 3 or more',
      'holds: true | false',
      'binary: 0 | 1',
      'yes: "yes"',
      'severity: "low" | "high", or null',
      'both: a list of 2 texts',
      'some: a list of 1 or more numbers',
      'few: a list of 1 to 3 whole numbers',
      'any: a list of at most 3 texts',
    ]);
  });

  it('describes the fields of objects in a list', () => {
    const entry = z.object({ label: z.enum(['a', 'b']).describe('which it is') });
    expect(fieldsOf(() => z.object({ failures: z.array(entry).describe('one for each') }))).toEqual([
      {
        name: 'failures',
        kind: 'a list of objects',
        description: 'one for each',
        fields: [{ name: 'label', kind: '"a" | "b"', description: 'which it is', fields: [] }],
      },
    ]);
  });
});
