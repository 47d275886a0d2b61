import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExpectedToolCall } from '../../../../src/core/expectations.ts';
import { CALL_MATCH_MODES } from '../../../../src/core/schemas/expectations.ts';
import { findUnmetCalls } from '../../../../src/metrics/shared/call-expectations.ts';
import type { CallSignature } from '../../../../src/metrics/shared/call-matching.ts';
import { valueDifferences } from '../../../../src/metrics/shared/value-differences.ts';

type Mode = (typeof CALL_MATCH_MODES)[number];

/** `a` is a call of the tool a, `a1` one with the argument `x: 1`. */
const made = (...calls: string[]): CallSignature[] =>
  calls.map((text) => ({ name: text.slice(0, 1), arguments: text.length > 1 ? { x: Number(text.slice(1)) } : {} }));
const wanted = (...calls: string[]): ExpectedToolCall[] =>
  calls.map((text) => ({ name: text.slice(0, 1), ...(text.length > 1 ? { args: { x: Number(text.slice(1)) } } : {}) }));

const unmet = (matchMode: Mode, expected: readonly ExpectedToolCall[], actual: readonly CallSignature[]) =>
  findUnmetCalls({ matchMode, expected }, actual);
const kinds = (matchMode: Mode, expected: string[], actual: string[]) =>
  unmet(matchMode, wanted(...expected), made(...actual)).map((call) => call.kind);

describe('the modes', () => {
  it.each<[string, string[], string[], Record<Mode, string[]>]>([
    [
      'the same calls',
      ['a', 'b'],
      ['a', 'b'],
      { strict: [], unordered: [], contains: [], 'unordered-contains': [], within: [] },
    ],
    [
      'another order',
      ['a', 'b'],
      ['b', 'a'],
      { strict: ['order'], unordered: [], contains: ['order'], 'unordered-contains': [], within: [] },
    ],
    [
      'a call more',
      ['a', 'b'],
      ['a', 'c', 'b'],
      {
        strict: ['extra-call'],
        unordered: ['extra-call'],
        contains: [],
        'unordered-contains': [],
        within: ['extra-call'],
      },
    ],
    [
      'a call less',
      ['a', 'b'],
      ['a'],
      {
        strict: ['missing-call'],
        unordered: ['missing-call'],
        contains: ['missing-call'],
        'unordered-contains': ['missing-call'],
        within: [],
      },
    ],
    [
      'a call too often',
      ['a'],
      ['a', 'a'],
      {
        strict: ['extra-call'],
        unordered: ['extra-call'],
        contains: [],
        'unordered-contains': [],
        within: ['extra-call'],
      },
    ],
    [
      'other arguments',
      ['a1'],
      ['a2'],
      {
        strict: ['arguments'],
        unordered: ['arguments'],
        contains: ['arguments'],
        'unordered-contains': ['arguments'],
        within: ['arguments'],
      },
    ],
    [
      'other arguments out of order',
      ['a1', 'b'],
      ['b', 'a2'],
      {
        strict: ['arguments'],
        unordered: ['arguments'],
        contains: ['arguments'],
        'unordered-contains': ['arguments'],
        within: ['arguments'],
      },
    ],
    [
      'nothing expected',
      [],
      ['a'],
      {
        strict: ['extra-call'],
        unordered: ['extra-call'],
        contains: [],
        'unordered-contains': [],
        within: ['extra-call'],
      },
    ],
  ])('%s', (_, expected, actual, byMode) => {
    for (const mode of CALL_MATCH_MODES) expect(kinds(mode, expected, actual), mode).toEqual(byMode[mode]);
  });

  it('is strict without a mode', () => {
    expect(findUnmetCalls({ expected: wanted('a') }, made('a', 'b'))).toEqual([{ kind: 'extra-call', actual: 1 }]);
  });

  it('assigns calls so that as many as can be are as expected, where the first that fits would be greedy', () => {
    const expected: ExpectedToolCall[] = [{ name: 'a' }, { name: 'a', args: { x: 1 } }];
    expect(unmet('unordered', expected, made('a1', 'a2'))).toEqual([]);
    expect(unmet('within', expected, made('a1', 'a2'))).toEqual([]);
  });

  it('finds the expected calls in order where an earlier call of the tool has other arguments', () => {
    expect(kinds('contains', ['a1', 'b'], ['a2', 'a1', 'b'])).toEqual([]);
    expect(kinds('contains', ['a', 'b', 'a', 'c'], ['a', 'a', 'b', 'b', 'a', 'c'])).toEqual([]);
  });

  it('says beside which call one was expected', () => {
    expect(unmet('strict', wanted('a', 'b', 'c'), made('a', 'c', 'b'))).toEqual([
      { kind: 'order', expected: 1, actual: 2, neighbor: 2, relation: 'before' },
    ]);
  });

  it('compares very many calls', () => {
    const many = Array.from({ length: 30_000 }, (_, index) => `a${index % 7}`);
    expect(kinds('contains', many.slice(20_000), many)).toEqual([]);
    expect(kinds('strict', many, [...many, 'b'])).toEqual(['extra-call']);
    expect(kinds('unordered', many, many)).toEqual([]);
  });
});

describe('forbidden calls', () => {
  it.each([
    ['delete_order', 'delete_order', true],
    ['functions.delete_order', 'delete_order', true],
    ['delete_order', 'delete_*', true],
    ['undelete_order', 'delete_*', false],
    ['anything', '*', true],
  ])('%s is forbidden by %s: %s', (name, pattern, isForbidden) => {
    const found = findUnmetCalls({ matchMode: 'contains', expected: [], forbidden: [pattern] }, [
      { name, arguments: {} },
    ]);
    expect(found).toEqual(isForbidden ? [{ kind: 'forbidden-call', actual: 0, pattern }] : []);
  });

  it.each<[string, ExpectedToolCall, boolean]>([
    ['any arguments', { name: 'pay' }, true],
    ['some of the arguments', { name: 'pay', args: { amount: 40 } }, true],
    ['other arguments', { name: 'pay', args: { amount: 41 } }, false],
    [
      'not all of the arguments, where they must be exact',
      { name: 'pay', args: { amount: 40 }, argMatchMode: 'exact' },
      false,
    ],
    ['arguments that are ignored', { name: 'p*', args: { amount: 41 }, argMatchMode: 'ignore' }, true],
  ])('can be named with %s', (_, forbidden, isForbidden) => {
    const call = { name: 'pay', arguments: { amount: 40, to: 'A-1' } };
    const found = findUnmetCalls({ matchMode: 'contains', expected: [], forbidden: [forbidden] }, [call]);
    expect(found.map(({ kind }) => kind)).toEqual(isForbidden ? ['forbidden-call'] : []);
  });

  it('with arguments say which in the reason', () => {
    const forbidden = [{ name: 'pay', args: { amount: 40 } }];
    expect(findUnmetCalls({ expected: [], forbidden }, [{ name: 'pay', arguments: { amount: 40 } }])).toEqual([
      { kind: 'forbidden-call', actual: 0, pattern: 'pay {"amount":40}' },
    ]);
  });

  it('are not reported as unexpected too', () => {
    expect(findUnmetCalls({ expected: [], forbidden: ['a'] }, made('a', 'b'))).toEqual([
      { kind: 'extra-call', actual: 1 },
      { kind: 'forbidden-call', actual: 0, pattern: 'a' },
    ]);
  });
});

describe('arguments', () => {
  const actual = { order: { id: 'A-1', items: [{ sku: 1, price: 2 }, { sku: 3 }] }, note: 'x' };
  it.each<[string, ExpectedToolCall['argMatchMode'], Record<string, unknown> | undefined, string[]]>([
    ['partial by default', undefined, { order: { id: 'A-1' } }, []],
    ['ignored by default where none are given', undefined, undefined, []],
    ['partial in lists', 'partial', { order: { items: [{ sku: 1 }, {}] } }, []],
    ['lists of another length', 'partial', { order: { items: [{ sku: 1 }] } }, ['other order.items']],
    ['an entry that differs', 'partial', { order: { items: [{ sku: 1 }, { sku: 4 }] } }, ['other order.items.1.sku']],
    ['a missing key', 'partial', { order: { city: 'Paris' } }, ['missing order.city']],
    ['exact', 'exact', { order: { id: 'A-1', items: [{ sku: 1, price: 2 }, { sku: 3 }] } }, ['extra note']],
    ['exact without arguments', 'exact', undefined, ['extra order', 'extra note']],
    ['ignored', 'ignore', { order: 1 }, []],
    ['null is not absent', 'partial', { missing: null }, ['missing missing']],
  ])('%s', (_, argMatchMode, args, differences) => {
    const expected = { name: 'f', ...(args && { args }), ...(argMatchMode && { argMatchMode }) };
    const [found] = unmet('strict', [expected], [{ name: 'f', arguments: actual }]);
    const paths =
      found?.kind === 'arguments' ? found.differences.map(({ kind, path }) => `${kind} ${path.join('.')}`) : [];
    expect(paths).toEqual(differences);
    expect(found === undefined).toBe(differences.length === 0);
  });

  it('are compared where they are no JSON, or too deep', () => {
    expect(unmet('strict', wanted('f1'), [{ name: 'f', arguments: '{"x": 1' }])).toMatchObject([{ kind: 'arguments' }]);
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`);
    expect(valueDifferences(deep, deep, 'partial')).toMatchObject([{ kind: 'other', path: [] }]);
  });
});

describe('for any calls', () => {
  const name = fc.constantFrom('f', 'g');
  const args = fc.dictionary(
    fc.constantFrom('a', 'b', '__proto__'),
    fc.constantFrom(1, 2, [1], { x: 1 }, { x: 1, y: 2 }),
    {
      maxKeys: 2,
    },
  );
  const actualCalls = fc.array(fc.record({ name, arguments: args }), { maxLength: 5 });
  const expectedCalls = fc.array(
    fc.record(
      { name, args, argMatchMode: fc.constantFrom('exact' as const, 'partial' as const, 'ignore' as const) },
      { requiredKeys: ['name'] },
    ),
    { maxLength: 5 },
  );
  const isMet = (mode: Mode, expected: readonly ExpectedToolCall[], actual: readonly CallSignature[]) =>
    unmet(mode, expected, actual).length === 0;
  const fits = (expected: ExpectedToolCall | undefined, actual: CallSignature | undefined) =>
    expected !== undefined && actual !== undefined && isMet('strict', [expected], [actual]);

  /** Tries every assignment. */
  function canAssign(expected: readonly ExpectedToolCall[], actual: readonly CallSignature[]): boolean {
    const [first, ...rest] = expected;
    if (!first) return true;
    return actual.some(
      (call, index) => fits(first, call) && canAssign(rest, [...actual.slice(0, index), ...actual.slice(index + 1)]),
    );
  }

  it('assigns in any order whenever an assignment exists', () => {
    fc.assert(
      fc.property(expectedCalls, actualCalls, (expected, actual) => {
        const exists = canAssign(expected, actual);
        expect(isMet('unordered-contains', expected, actual)).toBe(exists);
        expect(isMet('unordered', expected, actual)).toBe(exists && expected.length === actual.length);
      }),
      { numRuns: 500 },
    );
  });

  it('finds the expected calls in order whenever they are there', () => {
    fc.assert(
      fc.property(expectedCalls, actualCalls, (expected, actual) => {
        let matched = 0;
        for (const call of actual) if (fits(expected[matched], call)) matched += 1;
        expect(isMet('contains', expected, actual)).toBe(matched === expected.length);
        const isSame = expected.length === actual.length && expected.every((call, index) => fits(call, actual[index]));
        expect(isMet('strict', expected, actual)).toBe(isSame);
      }),
      { numRuns: 500 },
    );
  });

  it('is met in every mode if it is met strictly', () => {
    fc.assert(
      fc.property(expectedCalls, actualCalls, (expected, actual) => {
        fc.pre(isMet('strict', expected, actual));
        for (const mode of CALL_MATCH_MODES) expect(isMet(mode, expected, actual), mode).toBe(true);
      }),
    );
  });

  it('stays within what is expected if calls are left out, or more are allowed', () => {
    fc.assert(
      fc.property(expectedCalls, actualCalls, fc.nat(), expectedCalls, (expected, actual, left, more) => {
        fc.pre(isMet('within', expected, actual));
        expect(isMet('within', expected, actual.toSpliced(left % (actual.length + 1), 1))).toBe(true);
        expect(isMet('within', [...expected, ...more], actual)).toBe(true);
      }),
    );
  });

  it('does not depend on the order of the keys of arguments', () => {
    const reversed = (value: Readonly<Record<string, unknown>>) => Object.fromEntries(Object.entries(value).reverse());
    fc.assert(
      fc.property(expectedCalls, actualCalls, fc.constantFrom(...CALL_MATCH_MODES), (expected, actual, mode) => {
        const turned = expected.map((call) => ({ ...call, ...(call.args && { args: reversed(call.args) }) }));
        expect(unmet(mode, turned, actual).map(({ kind }) => kind)).toEqual(
          unmet(mode, expected, actual).map(({ kind }) => kind),
        );
      }),
    );
  });

  it('names each call once at most', () => {
    fc.assert(
      fc.property(expectedCalls, actualCalls, fc.constantFrom(...CALL_MATCH_MODES), (expected, actual, mode) => {
        const found = unmet(mode, expected, actual);
        const places = (key: 'expected' | 'actual') =>
          found.flatMap((call) => (key in call ? [Reflect.get(call, key)] : []));
        for (const key of ['expected', 'actual'] as const) expect(new Set(places(key)).size).toBe(places(key).length);
      }),
    );
  });
});
