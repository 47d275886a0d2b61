import { describe, expect, it } from 'vitest';
import { attributesOf, fieldsOf } from '../../../../src/formats/spans/attributes.ts';

const any = (value: unknown) => attributesOf([{ key: 'a', value }], '/s').find('a');

describe('OTLP values', () => {
  it.each<[string, unknown, unknown]>([
    ['text', { stringValue: 'x' }, 'x'],
    ['text in snake case', { string_value: 'x' }, 'x'],
    ['a flag', { boolValue: false }, false],
    ['an integer as digits', { intValue: '42' }, 42],
    ['an integer as a number', { intValue: 42 }, 42],
    ['an integer that a number would round', { intValue: '9007199254740993' }, '9007199254740993'],
    ['a fraction', { doubleValue: 1.5 }, 1.5],
    ['a list', { arrayValue: { values: [{ stringValue: 'x' }, { intValue: '1' }] } }, ['x', 1]],
    ['an empty list', { arrayValue: {} }, []],
    ['a map', { kvlistValue: { values: [{ key: 'k', value: { stringValue: 'v' } }, { key: 1 }] } }, { k: 'v' }],
    ['a value as it is, as Jaeger has it', 'x', 'x'],
    ['an object of another kind', { x: 1 }, { x: 1 }],
  ])('%s', (_, value, result) => {
    expect(any(value)?.value).toEqual(result);
  });

  it('keep their locations, and mark values with another notation in the file', () => {
    expect(any({ stringValue: 'x' })).toEqual({ value: 'x', pointer: '/s/0/value', isRewritten: true });
    expect(any('x')).toEqual({ value: 'x', pointer: '/s/0/value' });
  });

  it('keep hostile keys as data', () => {
    const value = { kvlistValue: { values: [{ key: '__proto__', value: { stringValue: 'x' } }] } };
    expect(Object.keys(Object(any(value)?.value))).toEqual(['__proto__']);
    expect(attributesOf([{ key: '__proto__', value: 'x' }, null, 5, { key: {} }], '').get('__proto__')).toBe('x');
  });
});

describe('attribute maps', () => {
  it('with dotted keys are kept as they are', () => {
    const attributes = attributesOf({ 'a.b': [{ c: 1 }], d: 'x' }, '/attributes');
    expect(attributes.find('a.b')).toEqual({ value: [{ c: 1 }], pointer: '/attributes/a.b' });
    expect(attributes.find('a.b.0.c')).toBeUndefined();
  });

  it('with nested objects get dotted keys', () => {
    const attributes = attributesOf({ llm: { input_messages: [{ message: { role: 'user' } }], vector: [1, 2] } }, '');
    expect(attributes.find('llm.input_messages.0.message.role')).toEqual({
      value: 'user',
      pointer: '/llm/input_messages/0/message/role',
    });
    expect(attributes.get('llm.vector')).toEqual([1, 2]);
    expect(attributes.find('llm.vector.0')).toBeUndefined();
  });

  it('are flattened to the nesting depth of attributes', () => {
    let deep: unknown = 'x';
    for (let depth = 0; depth < 50; depth += 1) deep = { a: deep };
    expect(attributesOf(deep, '').find(Array(30).fill('a').join('.'))).toBeUndefined();
  });

  it('are limited to their fields on request', () => {
    expect(fieldsOf({ a: { b: 1 } }, '/x').find('a')).toEqual({ value: { b: 1 }, pointer: '/x/a' });
    expect(fieldsOf({ a: { b: 1 } }, '/x').find('a.b')).toBeUndefined();
    expect(fieldsOf(5, '').find('a')).toBeUndefined();
  });
});

describe('attribute look-ups', () => {
  const attributes = attributesOf({ 'n.a': null, 'n.b': '', 'n.c': 'x', 'n.d': '12', 'n.e': 3 }, '');

  it('return the first value that is not empty', () => {
    expect(attributes.get('n.z', 'n.a', 'n.b', 'n.c')).toBe('');
    expect(attributes.text('n.a', 'n.b', 'n.c')).toBe('x');
    expect(attributes.count('n.c', 'n.d', 'n.e')).toBe(12);
    expect(attributes.hasAny('n.')).toBe(true);
    expect(attributes.hasAny('m.')).toBe(false);
  });

  it('group the records of a list by their numbers', () => {
    const flat = attributesOf(
      { 'p.10.role': 'c', 'p.2.role': 'b', 'p.0.role': 'a', 'p.x.role': 'no', 'pp.1.role': 'no' },
      '',
    );
    expect(flat.records('p').map((record) => record.get('role'))).toEqual(['a', 'b', 'c']);
    const [record] = attributesOf({ 'm.0.message.role': 'user', 'm.0.message.content': 'hi' }, '').records('m');
    expect(record?.under('message').get('content')).toBe('hi');
    expect(record?.under('other').get('message.role')).toBe('user');
  });
});
