import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { isObject } from '../../../src/core/json.ts';
import { buildBatchSchema, toQuestionSchema } from '../../../src/judge/strict-schema.ts';

const schemaOf = (answers: Readonly<Record<string, z.ZodType>>) =>
  buildBatchSchema(new Map(Object.entries(answers).map(([name, answer]) => [name, toQuestionSchema(answer)])));
const of = (answer: z.ZodType) => schemaOf({ q: answer });
const property = (answer: z.ZodType) => {
  const { properties } = of(z.object({ p: answer }));
  return (
    isObject(properties) && isObject(properties.q) && isObject(properties.q.properties) && properties.q.properties.p
  );
};

describe('buildBatchSchema', () => {
  it('has a key per question in order, is closed and requires everything', () => {
    const first = z.object({ b: z.string(), a: z.number().optional() });
    expect(schemaOf({ z: first, y: z.object({}) })).toEqual({
      type: 'object',
      properties: {
        z: {
          type: 'object',
          properties: { b: { type: 'string' }, a: { type: 'number' } },
          required: ['b', 'a'],
          additionalProperties: false,
        },
        y: { type: 'object', properties: {}, required: [], additionalProperties: false },
      },
      required: ['z', 'y'],
      additionalProperties: false,
    });
    expect(JSON.stringify(of(first).properties)).toContain('"properties":{"b":{"type":"string"},"a":');
  });

  it.each<[string, z.ZodType, unknown]>([
    ['keeps bounds', z.int().min(1).max(5), { type: 'integer', minimum: 1, maximum: 5 }],
    ['leaves out bounds that say nothing', z.int(), { type: 'integer' }],
    ['keeps open bounds', z.number().gt(0).lt(1), { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }],
    [
      'keeps counts',
      z.array(z.boolean()).length(3),
      { type: 'array', items: { type: 'boolean' }, minItems: 3, maxItems: 3 },
    ],
    [
      'keeps enumerations',
      z.enum(['a', 'b']).describe('one'),
      { type: 'string', enum: ['a', 'b'], description: 'one' },
    ],
    ['keeps several literals', z.literal([0, 1]), { type: 'number', enum: [0, 1] }],
    ['makes a literal an enumeration', z.literal('a'), { type: 'string', enum: ['a'] }],
    ['keeps what may be null', z.string().nullish(), { type: ['string', 'null'] }],
    [
      'says in words what has no keyword',
      z.string().min(2).max(9).regex(/^a/).describe('a word'),
      { type: 'string', description: 'a word; at least 2 characters; at most 9 characters; matches the pattern ^a' },
    ],
    ['says a format in words', z.iso.date(), expect.objectContaining({ description: expect.stringContaining('date') })],
    ['drops defaults', z.number().default(3), { type: 'number' }],
    [
      'makes places of a tuple a list of as many',
      z.tuple([z.string(), z.number()]),
      { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] }, minItems: 2, maxItems: 2 },
    ],
  ])('%s', (_, answer, expected) => {
    expect(property(answer)).toEqual(expected);
  });

  it('turns a union into closed alternatives', () => {
    const union = z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b') })]);
    expect(property(union)).toEqual({
      anyOf: ['a', 'b'].map((k) => ({
        type: 'object',
        properties: { k: { type: 'string', enum: [k] } },
        required: ['k'],
        additionalProperties: false,
      })),
    });
  });

  it('defines a shared enumeration once, with descriptions outside references', () => {
    const ids = ['t1', 't2', 't3', 't4', 't5'];
    const id = z.enum(ids);
    const schema = schemaOf({
      a: z.object({ evidence: z.array(id).describe('what decides') }),
      b: z.object({ worst: id.describe('the worst') }),
    });
    expect(schema.$defs).toEqual({ values1: { type: 'string', enum: ids } });
    expect(schema.properties).toMatchObject({
      a: { properties: { evidence: { description: 'what decides', items: { $ref: '#/$defs/values1' } } } },
      b: { properties: { worst: { description: 'the worst', anyOf: [{ $ref: '#/$defs/values1' }] } } },
    });
  });

  it('keeps an enumeration that occurs once in place', () => {
    const id = z.enum(['t1', 't2', 't3', 't4', 't5']);
    expect(property(id)).toEqual({ type: 'string', enum: ['t1', 't2', 't3', 't4', 't5'] });
    expect(of(z.object({ id }))).not.toHaveProperty('$defs');
  });

  it('drops an enumeration that is too long for servers', () => {
    const id = z.enum(Array.from({ length: 501 }, (_, index) => `t${index}`));
    expect(property(id)).toEqual({ type: 'string', description: 'one of those that are shown' });
  });

  it('keeps references of recursive schemas', () => {
    const node: z.ZodType = z.object({
      get children() {
        return z.array(node.describe('a child'));
      },
    });
    const schema = schemaOf({ a: z.object({ tree: node }), b: z.object({ trees: z.array(node) }) });
    expect(JSON.stringify(schema)).toMatch(/{"description":"a child","anyOf":\[{"\$ref":"#\/\$defs\/\w+"}\]}/);
    const referred = JSON.stringify(schema).match(/(?<=#\/\$defs\/)\w+/g) ?? [];
    expect(new Set(referred.map((name) => name.charAt(0)))).toEqual(new Set(['a', 'b']));
    const definitions = isObject(schema.$defs) ? schema.$defs : {};
    expect(Object.keys(definitions)).toEqual(expect.arrayContaining(referred));
    expect(definitions[referred[0] ?? '']).toMatchObject({ additionalProperties: false });
  });

  it.each([
    ['records', z.record(z.string(), z.number())],
    ['intersections', z.intersection(z.union([z.string(), z.number()]), z.string())],
  ])('refuses %s, which servers cannot enforce', (name, answer) => {
    expect(() => property(answer)).toThrow(`may not have ${name}`);
  });
});
