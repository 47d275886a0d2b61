import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type AnswerSchema, createAnswerSchemas } from '../../../src/judge/answer-schemas.ts';
import type { CitableIds } from '../../../src/judge/prompting/session-prompts.ts';
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
const judgingCalls = () =>
  asking(({ call, perCall }) => z.object({ verdicts: perCall(z.object({ call, isRight: z.boolean() })) }));

const showing = (ids: readonly string[]): CitableIds => ({ ids, calls: [] });

function messagesOf(schema: AnswerSchema, raw: unknown, shown: CitableIds): string[] {
  const match = schema.parse(raw, shown);
  return match.isValid ? [] : match.issues.map(({ message }) => message);
}

describe('createAnswerSchemas', () => {
  it('creates the schema of a question once, whatever turns it is about', () => {
    const { of: schemaOf } = createAnswerSchemas();
    const question = judgingCalls();
    const schemas = Array.from({ length: 10 }, () => schemaOf(question));
    expect([question.made, new Set(schemas).size]).toEqual([1, 1]);
  });

  it('creates the schema of a call once for the same questions in the same order', () => {
    const schemas = createAnswerSchemas();
    const [first, second] = [citing(), { ...judgingCalls(), name: 'calls' }];
    expect(schemas.ofBatch([first, second])).toBe(schemas.ofBatch([first, second]));
    const keys = (...questions: Question[]) => Object.keys(schemas.ofBatch(questions).properties as object);
    expect([keys(first), keys(first, second), keys(second, first)]).toEqual([['q'], ['q', 'calls'], ['calls', 'q']]);
  });

  it.each([1, 2, 5, 501])('pinned, is what an enumeration of its %d ids would be', (count) => {
    const ids = Array.from({ length: count }, (_, at) => `t${at + 1}.user`);
    const one = z.enum(ids);
    const enumerated = z.object({ evidence: z.array(one), worst: one.nullish().describe('the worst') });
    const answer = createAnswerSchemas().of(citing());
    expect(JSON.stringify(buildBatchSchema(new Map([['q', answer.schema]]), showing(ids)))).toBe(
      JSON.stringify(buildBatchSchema(new Map([['q', toQuestionSchema(enumerated)]]))),
    );
    const messages = (raw: unknown) => {
      const read = answer.parse(raw, showing(ids));
      return read.isValid ? [] : read.issues.map(({ path, message }) => ({ path, message }));
    };
    for (const raw of [{ evidence: ['t1.user', 'elsewhere', 7, null] }, { worst: 'elsewhere' }, { evidence: [] }, 1]) {
      const issues = enumerated.safeParse(raw).error?.issues ?? [];
      expect(messages(raw)).toEqual(issues.map(({ path, message }) => ({ path, message })));
    }
  });

  it('not pinned, says what an id is of, and names none', () => {
    const { of: schemaOf } = createAnswerSchemas();
    const schemas = new Map([
      ['cites', schemaOf(citing()).schema],
      ['calls', schemaOf(judgingCalls()).schema],
    ]);
    const { properties } = buildBatchSchema(schemas);
    expect(properties).toMatchObject({
      cites: {
        properties: {
          evidence: { items: { type: 'string', description: 'id of a passage' } },
          worst: {
            anyOf: [{ type: 'string', description: 'id of a passage' }, { type: 'null' }],
            description: 'the worst',
          },
        },
      },
      calls: {
        properties: {
          verdicts: {
            description: 'one for every call of the agent in this turn',
            items: { properties: { call: { type: 'string', description: 'id of a call' } } },
          },
        },
      },
    });
    expect(JSON.stringify(properties)).not.toMatch(/enum|minItems|maxItems/);
  });

  it('accepts the ids of the answered prompt, in brackets too, and any id if the prompt showed none', () => {
    const { of: schemaOf } = createAnswerSchemas();
    const answer = schemaOf(citing());
    const parsed = (id: unknown, ids: readonly string[]) => {
      const match = answer.parse({ evidence: [id] }, showing(ids));
      return match.isValid ? match.value : null;
    };
    expect(parsed('t1.user', ['t1.user'])).toEqual({ evidence: ['t1.user'] });
    expect(parsed('[t1.user]', ['t1.user'])).toEqual({ evidence: ['t1.user'] });
    expect(parsed('t1.user', ['t2.user'])).toBeNull();
    expect(parsed('t1.user', [])).toEqual({ evidence: ['t1.user'] });
    expect(parsed(1, [])).toBeNull();
  });

  it('accepts one entry for each call of the answered prompt', () => {
    const answer = createAnswerSchemas().of(judgingCalls());
    const shown = { ids: [], calls: ['t2.call1', 't2.call2'] };
    const problems = (...calls: string[]) =>
      messagesOf(answer, { verdicts: calls.map((call) => ({ call, isRight: true })) }, shown);
    expect(problems('t2.call1', '[t2.call2]')).toEqual([]);
    expect(problems('t2.call2')).toEqual(['there is no entry for t2.call1']);
    expect(problems('t2.call1', 't2.call1')).toEqual(['a call has two entries: give every call exactly one']);
    expect(problems('t2.call1', 't2.call3')).toEqual(['Invalid option: expected one of "t2.call1"|"t2.call2"']);
  });
});
