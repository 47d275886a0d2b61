import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type AnswerSchema, createAnswerSchemas } from '../../../src/judge/answer-schemas.ts';
import type { AnswerContext, Question } from '../../../src/judge/question.ts';
import { buildBatchSchema, toQuestionSchema } from '../../../src/judge/strict-schema.ts';

function asking(answer: (known: AnswerContext) => z.ZodType): Question & { readonly made: number } {
  let made = 0;
  return {
    name: 'q',
    instructions: 'How?',
    context: 'turn',
    answer(known) {
      made += 1;
      return answer(known);
    },
    get made() {
      return made;
    },
  };
}

const citing = () => asking(({ id }) => z.object({ evidence: z.array(id), worst: id.nullish().describe('the worst') }));

describe('createAnswerSchemas', () => {
  it('reuses the schema of a question that is asked repeatedly', () => {
    const forms = createAnswerSchemas();
    const question = citing();
    for (let turn = 0; turn < 10; turn += 1) forms.get(question, [`t${turn}.call1`]);
    expect(question.made).toBe(2);
  });

  it('creates a schema per turn if it depends on the calls', () => {
    const forms = createAnswerSchemas();
    const question = asking(({ calls }) => z.array(z.boolean()).length(calls.length));
    const isValid = [1, 2, 3, 4].map((count) => {
      const form = forms.get(
        question,
        Array.from({ length: count }, (_, at) => `t1.call${at + 1}`),
      );
      return [2, 3].map((length) => form.parse(Array(length).fill(true), []).isValid);
    });
    expect(isValid).toEqual([
      [false, false],
      [true, false],
      [false, true],
      [false, false],
    ]);
  });

  it.each([1, 2, 5, 501])('is what an enumeration of its %d ids would be', (count) => {
    const ids = Array.from({ length: count }, (_, at) => `t${at + 1}.user`);
    const one = z.enum(ids);
    const enumerated = z.object({ evidence: z.array(one), worst: one.nullish().describe('the worst') });
    const form = createAnswerSchemas().get(citing(), []);
    expect(JSON.stringify(buildBatchSchema(new Map([['q', form.schema]]), ids))).toBe(
      JSON.stringify(buildBatchSchema(new Map([['q', toQuestionSchema(enumerated)]]))),
    );
    const messages = (raw: unknown) => {
      const read = form.parse(raw, ids);
      return read.isValid ? [] : read.issues.map(({ path, message }) => ({ path, message }));
    };
    for (const raw of [{ evidence: ['t1.user', 'elsewhere', 7, null] }, { worst: 'elsewhere' }, { evidence: [] }, 1]) {
      const issues = enumerated.safeParse(raw).error?.issues ?? [];
      expect(messages(raw)).toEqual(issues.map(({ path, message }) => ({ path, message })));
    }
  });

  it('accepts the ids of the answered prompt, and any id if the prompt showed none', () => {
    const forms = createAnswerSchemas();
    const question = citing();
    forms.get(question, []);
    const form = forms.get(question, []);
    const isValid = (form: AnswerSchema, id: unknown, ids: readonly string[]) =>
      form.parse({ evidence: [id] }, ids).isValid;
    expect(isValid(form, 't1.user', ['t1.user'])).toBe(true);
    expect(isValid(form, 't1.user', ['t2.user'])).toBe(false);
    expect(isValid(form, 't1.user', [])).toBe(true);
    expect(isValid(form, 1, [])).toBe(false);
  });
});
