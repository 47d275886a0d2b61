import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../src/core/finding.ts';
import type { Tool, ToolStep } from '../../../../src/core/session.ts';
import { collectFindings } from '../../../../src/rules/index.ts';
import { failed, ok, session, tool } from '../session-builder.ts';

const REFUND = tool(
  'refund_order',
  {
    order_id: { type: 'string' },
    amount: { type: 'number' },
    note: { type: ['string', 'null'] },
    tag: { type: 'string', nullable: true },
    reason: { type: 'string', default: 'customer request' },
    any: {},
    speed: { type: 'string', enum: ['slow', 'fast'] },
  },
  ['order_id', 'amount', 'note', 'tag', 'reason', 'any'],
);
const FULL = { order_id: 'A-1001', amount: 5, note: null, tag: null, reason: 'late', any: null };

const RULES = ['unknown-tool', 'arguments-not-json', 'arguments-break-schema', 'broken-tool-schema'];

/** What the rules of this page find when a tool is called so and refuses. */
function findings(args: ToolStep['arguments'], tools: readonly Tool[] = [REFUND], outcome: 'error' | 'ok' = 'error') {
  const step = outcome === 'ok' ? ok('refund_order', args) : failed('refund_order', args, 'no');
  const turn = { user: 'Refund A-1001.', steps: [step], agent: 'I could not.' };
  return collectFindings(session([turn], tools)).filter(({ rule }) => RULES.includes(rule));
}

function messages(findings: readonly Finding[]): string[] {
  return findings.map(({ rule, severity, message }) => `${rule} ${severity}: ${message}`);
}

function without(...names: string[]) {
  return Object.fromEntries(Object.entries(FULL).filter(([name]) => !names.includes(name)));
}

/** What is wrong with one argument `x` under a schema. */
function wrong(schema: unknown, x: unknown, more: object = {}): string | undefined {
  const tools = [{ name: 'refund_order', inputSchema: { type: 'object', properties: { x: schema }, ...more } }];
  const [finding] = findings({ x }, tools);
  expect(finding?.rule ?? 'arguments-break-schema').toBe('arguments-break-schema');
  return finding?.message.replace('The arguments of `refund_order` do not fit its schema: ', '');
}

describe('arguments-break-schema', () => {
  it.each([
    [without('order_id'), '`order_id`'],
    [without('order_id', 'amount'), '`order_id` and `amount`'],
    [{ ...FULL, amount: null }, '`amount`'],
    [{}, '`order_id`, `amount`, `note` and `tag` (and 1 more)'],
    [{ ...FULL, order_id: ' ' }, '`order_id`'],
  ])('reports what is missing in %j', (args, names) => {
    expect(messages(findings(args))).toEqual([
      `arguments-break-schema high: \`refund_order\` was called without ${names}, which its schema requires.`,
    ]);
  });

  it.each([
    ['a wrong type', { ...FULL, amount: '42' }, '`amount` is "42", not a number'],
    ['a value that is not listed', { ...FULL, speed: 'warp' }, '`speed` is "warp", not one of "slow" and "fast"'],
    [
      'several violations, the most severe first',
      { ...without('order_id'), speed: 'warp', amount: '42', tag: 1, note: 2 },
      '`order_id` is missing; `amount` is "42", not a number; `note` is 2, not a string; 2 more',
    ],
  ])('reports %s', (_, args, what) => {
    const actual = findings(args);
    expect(messages(actual)).toEqual([
      `arguments-break-schema high: The arguments of \`refund_order\` do not fit its schema: ${what}.`,
    ]);
    expect(actual[0]?.evidence).toEqual([{ pointer: '/turns/0/steps/0', note: `the call: ${what}` }]);
    expect(actual[0]?.calls).toEqual(['/turns/0/steps/0']);
  });

  it.each([
    ['all of them', FULL],
    ['an argument that has a default', without('reason')],
    ['null for an optional argument', { ...FULL, speed: null }],
    ['an empty text and a zero', { ...FULL, reason: '', amount: 0 }],
    ['an extra argument if the schema allows it', { ...FULL, extra: 1 }],
    ['what the export masked', { ...FULL, amount: '[REDACTED]', speed: '***' }],
  ])('does not report %s', (_, args) => {
    expect(findings(args)).toEqual([]);
  });

  it('has a lower severity for arguments that a tool accepted, and for bounds', () => {
    const closed = { type: 'object', properties: { a: { maximum: 3 } }, additionalProperties: false };
    const tools = [{ name: 'refund_order', inputSchema: closed }];
    expect(findings({ ...FULL, amount: '42' }, [REFUND], 'ok')[0]?.severity).toBe('medium');
    expect(findings({ a: 4 }, tools)[0]?.severity).toBe('medium');
    expect(findings({ b: 4 }, tools)[0]?.severity).toBe('medium');
    // An empty id may mean "none" to a tool that takes it.
    expect(findings({ ...FULL, order_id: '' }, [REFUND], 'ok')).toEqual([]);
  });

  it.each([
    [{ type: 'integer' }, 2.5, '`x` is 2.5, not a whole number.'],
    [{ type: 'boolean' }, 'true', '`x` is "true", not true or false.'],
    [{ type: 'array' }, '[]', '`x` is "[]", not a list.'],
    [{ type: 'object' }, [], '`x` is [], not an object.'],
    [{ type: 'array', items: { type: 'string' } }, ['a', 1], '`x[1]` is 1, not a string.'],
    [{ type: 'array', items: { type: 'string' } }, [null], '`x[0]` is null, not a string.'],
    [{ type: ['string', 'number'] }, true, '`x` is true, neither a string nor a number.'],
    [{ enum: ['a'] }, 'b', '`x` is "b", not "a".'],
    [{ enum: [1, 2, 3, 4, 5, 6] }, 7, '`x` is 7, not one of the 6 values that are allowed.'],
    [{ const: 'a' }, 'b', '`x` is "b", not "a".'],
    [{ minimum: 1 }, 0, '`x` is 0, not at least 1.'],
    [{ maximum: 1 }, 2, '`x` is 2, not at most 1.'],
    [{ exclusiveMinimum: 1 }, 1, '`x` is 1, not more than 1.'],
    [{ minimum: 1, exclusiveMinimum: true }, 1, '`x` is 1, not more than 1.'],
    [{ exclusiveMaximum: 1 }, 1, '`x` is 1, not less than 1.'],
    [{ multipleOf: 5 }, 7, '`x` is 7, not a multiple of 5.'],
    [{ minLength: 1 }, '', '`x` is "", not at least 1 character long.'],
    [{ maxLength: '2' }, 'abc', '`x` is "abc", not at most 2 characters long.'],
    [{ minItems: 1 }, [], '`x` is [], not at least 1 entry.'],
    [{ maxProperties: 2 }, { a: 1, b: 2, c: 3 }, '`x` is {"a":1,"b":2,"c":3}, not at most 2 entries.'],
    [{ pattern: '^[A-Z]+$' }, 'a', '`x` is "a", not of the form `^[A-Z]+$`.'],
    [{ format: 'date' }, 'May 5', '`x` is "May 5", not a date (`2026-01-31`).'],
    [{ format: 'email' }, 'mia', '`x` is "mia", not an e-mail address.'],
    [{ not: { type: 'string' } }, 'a', '`x` is "a", which is ruled out.'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, '`x` is 1, not a string.'],
    [{ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }, [1], '`x[0]` is 1, not a string.'],
    [
      { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      { c: 1 },
      '`x` is {"c":1}, which has none of the forms that are allowed.',
    ],
    [
      { anyOf: [{ properties: { k: { const: 'a' }, n: { type: 'number' } } }, { properties: { k: { const: 'b' } } }] },
      { k: 'a', n: '1' },
      '`x.n` is "1", not a number.',
    ],
    [{ properties: { a: {} }, additionalProperties: false }, { b: 1 }, '`x.b` is unknown to it.'],
    [
      { anyOf: [{ properties: { a: {} }, additionalProperties: false }, { required: ['c'] }] },
      { b: 1 },
      '`x` is {"b":1}, which has none of the forms that are allowed.',
    ],
    [
      { properties: { a: { maximum: 1 }, b: { type: 'number' } } },
      { a: 2, b: 'c' },
      '`x.b` is "c", not a number; `x.a` is 2, not at most 1.',
    ],
    [
      { allOf: [{ properties: { a: { maxLength: 1 } } }], properties: { a: { const: 'z' } } },
      { a: 'bc' },
      '`x.a` is "bc", not "z".',
    ],
    [{ properties: { a: {} }, unevaluatedProperties: false }, { b: 1 }, '`x.b` is unknown to it.'],
    [{ propertyNames: { pattern: '^[a-z]+$' } }, { A: 1 }, '`x.A` is unknown to it.'],
    [{ patternProperties: { '^n_': { type: 'number' } } }, { n_a: '1' }, '`x.n_a` is "1", not a number.'],
    [{ items: [{ type: 'string' }], additionalItems: false }, ['a', 1], '`x[1]` is unknown to it.'],
    [{ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, ['a', 'b'], '`x[1]` is "b", not a number.'],
    [
      { if: { required: ['a'] }, else: { required: ['b'] } },
      {},
      '`refund_order` was called without `x.b`, which its schema requires.',
    ],
    [
      { dependentRequired: { a: ['b'] } },
      { a: 1 },
      '`refund_order` was called without `x.b`, which its schema requires.',
    ],
    [
      { dependencies: { a: ['b"c'] } },
      { a: 1 },
      '`refund_order` was called without `x.b"c`, which its schema requires.',
    ],
    [{ properties: { 'a/b~c é': { type: 'string' } } }, { 'a/b~c é': 1 }, '`x.a/b~c é` is 1, not a string.'],
  ])('describes how %j rejects %j', (schema, x, message) => {
    expect(wrong(schema, x)).toBe(message);
  });

  it('describes violations of all arguments together', () => {
    expect(wrong({}, 1, { minProperties: 2 })).toBe('they are {"x":1}, not at least 2 entries.');
  });

  it.each([
    ['draft 4', 'http://json-schema.org/draft-04/schema#', 'definitions'],
    ['draft 7', 'http://json-schema.org/draft-07/schema#', 'definitions'],
    ['2019-09', 'https://json-schema.org/draft/2019-09/schema', '$defs'],
    ['2020-12', 'https://json-schema.org/draft/2020-12/schema', '$defs'],
    ['no draft', undefined, '$defs'],
  ])('follows references in %s', (_, $schema, definitions) => {
    const money = { type: 'object', properties: { cents: { type: 'integer' } }, required: ['cents'] };
    const more = { $schema, [definitions]: { Money: money } };
    const x = { $ref: `#/${definitions}/Money` };
    expect(wrong(x, { cents: '1' }, more)).toBe('`x.cents` is "1", not a whole number.');
    expect(wrong(x, { cents: 1 }, more)).toBeUndefined();
    expect(wrong(x, null, more)).toBeUndefined();
  });

  it("follows recursive references, the schema's own address and anchors", () => {
    const tree = { type: 'object', properties: { name: { type: 'string' }, next: { $ref: '#' } } };
    const tools = [{ name: 'refund_order', inputSchema: tree }];
    expect(findings({ next: { next: { name: 1 } } }, tools)[0]?.message).toContain('`next.next.name` is 1');
    const more = { $id: 'https://example.com/tool.json', $defs: { n: { $anchor: 'num', type: 'number' } } };
    expect(wrong({ $ref: 'https://example.com/tool.json#/$defs/n' }, 'a', more)).toBe('`x` is "a", not a number.');
    expect(wrong({ $ref: '#num' }, 'a', more)).toBe('`x` is "a", not a number.');
  });

  it.each([
    [{ type: 'STRING' }, 1, '`x` is 1, not a string.'],
    [{ type: 'STRING', nullable: true }, 'a', undefined],
    [{ type: 'str' }, 1, '`x` is 1, not a string.'],
    [{ type: 'float' }, 1.5, undefined],
    [{ type: 'dict', properties: [] }, {}, undefined],
    [{ type: 'any' }, 1, undefined],
    [{ type: 'string', enum: null, items: null, required: null }, 'a', undefined],
    [{ enum: [] }, 'a', undefined],
    // Whatever tools take more loosely than the standard.
    [{ format: 'date-time' }, '2026-03-03T10:00', undefined],
    [{ format: 'uri' }, 'example.com', undefined],
    // To fit two of `oneOf` is the schema's flaw.
    [{ oneOf: [{ type: 'integer' }, { type: 'number' }] }, 1, undefined],
    // JavaScript reads this one without the flag `u` only.
    [{ pattern: '^[\\w-.]+$' }, '!', undefined],
  ])('reads %j as %j like providers do', (schema, x, message) => {
    expect(wrong(schema, x, { required: ['x'] })).toBe(message);
  });

  it.each([
    ['a pattern that may take forever', { type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`],
    ['a pattern that may begin anywhere', { type: 'string', pattern: 'a*b*c$' }, 'd'],
    ['a pattern on a long text', { type: 'string', pattern: '^a*a*$' }, `${'a'.repeat(100_000)}!`],
    ['a name that may take forever', { patternProperties: { '(a*)*b': {} }, additionalProperties: false }, { aaaa: 1 }],
    ['a schema that is only itself', { $ref: '#/properties/x' }, 1],
  ])('gives up on %s', (_, schema, x) => {
    expect(wrong(schema, x)).toBeUndefined();
  });

  it('gives up on a schema that grows without bounds, and then on others of its kind at once', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => {
        const next = { $ref: `#/$defs/d${i + 1}` };
        return [`d${i}`, i === 39 ? { type: 'string' } : { allOf: [next, next] }];
      }),
    );
    const inputSchema = { type: 'object', properties: { x: { $ref: '#/$defs/d0' } }, $defs };
    const steps = Array.from({ length: 2000 }, (_, i) => failed('refund_order', { x: i }, 'no'));
    const many = session([{ user: 'Go.', steps, agent: 'No.' }], [{ name: 'refund_order', inputSchema }]);
    expect(collectFindings(many).filter(({ rule }) => rule === 'arguments-break-schema')).toEqual([]);
  });

  it('does not modify the schema', () => {
    const $defs = Object.freeze({ a: Object.freeze({ type: 'string' }) });
    const x = Object.freeze({ $ref: '#/$defs/a' });
    expect(wrong(x, 1, Object.freeze({ $defs }))).toBe('`x` is 1, not a string.');
    expect(Object.getOwnPropertyNames(x)).toEqual(['$ref']);
  });

  it('does not report when content was not recorded', () => {
    const turn = { user: null, steps: [failed('refund_order', {}, 'no')], agent: null, captured: false } as const;
    expect(collectFindings(session([turn], [REFUND])).filter(({ rule }) => RULES.includes(rule))).toEqual([]);
  });

  it('reports the same with the fast path and with the validator', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const scalar = fc.constantFrom('', 'x', 1, 2.5, true, null);
    const { schema } = fc.letrec<{ schema: object }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        fc.record({ type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object') }),
        fc.record({ enum: fc.array(scalar, { maxLength: 3 }) }),
        fc.record({ type: fc.constant('array'), items: tie('schema') }),
        fc.record(
          {
            properties: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
            required: fc.uniqueArray(name, { maxLength: 2 }),
            additionalProperties: fc.boolean(),
          },
          { requiredKeys: ['properties'] },
        ),
      ),
    }));
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        scalar,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(name, tie('value'), { maxKeys: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(schema, fc.dictionary(name, json, { maxKeys: 3 }), (inputSchema, args) => {
        const plain = findings(args, [{ name: 'refund_order', inputSchema }]);
        const reported = findings(args, [{ name: 'refund_order', inputSchema: { ...inputSchema, minProperties: 0 } }]);
        expect(plain).toEqual(reported);
      }),
      { numRuns: 200 },
    );
  });
});

describe('broken-tool-schema', () => {
  it.each([
    [{ properties: { price: { type: 'money' } } }, '`price` is of the type "money", which JSON Schema does not know'],
    [{ properties: { a: { items: { type: 5 } } } }, '`a[]` is of the type 5, which JSON Schema does not know'],
    [{ properties: { a: 'string' } }, '`a` is described by "string", which is no schema'],
    [{ required: 'order_id' }, '`required` of it is "order_id", not a list of names'],
    [{ required: [1, null] }, '`required` of it is [1,null], not a list of names'],
    [{ properties: { a: { required: true } } }, '`required` of `a` is true, not a list of names'],
    [{ properties: 5 }, '`properties` of it is 5, not an object'],
    [{ properties: { a: { enum: 'x' } } }, '`enum` of `a` is "x", not a list'],
    [{ properties: { a: { minimum: 'x' } } }, '`minimum` of `a` is "x", not a number'],
    [{ properties: { a: { pattern: '(' } } }, 'the pattern "(" of `a` is no regular expression'],
    [{ patternProperties: { '[': {} } }, 'the pattern "[" of it is no regular expression'],
    [{ $ref: 'http://[' }, 'it refers to "http://[", which is no address'],
    [{ properties: { a: { $ref: '#/$defs/A' } } }, 'it refers to "#/$defs/A", which is not in it'],
    [{ $ref: 'https://example.com/x.json' }, 'it refers to "https://example.com/x.json", which is not in it'],
    [JSON.parse(`${'{"items":'.repeat(5000)}{}${'}'.repeat(5000)}`), 'it is too large to be checked'],
  ])('observes %#', (inputSchema, why) => {
    const tools = [{ name: 'refund_order', inputSchema }];
    const twice = session(
      [{ user: 'Go.', steps: [ok('refund_order', {}), failed('refund_order', { a: 1 }, 'no')], agent: 'Done so.' }],
      tools,
    );
    const findings = collectFindings(twice).filter(({ rule }) => RULES.includes(rule));
    expect(messages(findings)).toEqual([
      `broken-tool-schema info: The schema of \`refund_order\` is broken, so its calls were not checked: ${why}.`,
    ]);
    expect(findings[0]?.evidence.map(({ pointer }) => pointer)).toEqual(['/turns/0/steps/0']);
  });

  it.each([undefined, null, 'x', {}, { required: ['__proto__'], properties: [] }])(
    'does not report %j',
    (inputSchema) => {
      const actual = findings({}, [{ name: 'refund_order', inputSchema }]);
      expect(actual.filter(({ rule }) => rule === 'broken-tool-schema')).toEqual([]);
    },
  );
});

describe('arguments-not-json', () => {
  it.each([
    ['an object that breaks off', '{"order_id": "A-1', [REFUND]],
    ['an object that breaks off, without a schema', ' {"order_id": "A-1', [{ name: 'refund_order' }]],
    ['prose for a tool with a schema', 'order A-1001\nplease', [REFUND]],
  ])('reports %s', (_, args, tools) => {
    const actual = findings(args, tools);
    expect(messages(actual)).toEqual([
      `arguments-not-json high: The arguments of \`refund_order\` are not a JSON object: "${args.trim().replace('\n', ' ')}".`,
    ]);
    expect(actual[0]?.calls).toEqual(['/turns/0/steps/0']);
  });

  it.each([
    ['free text for a tool without a schema', '*** Begin Patch', [{ name: 'refund_order' }]],
    ['free text for a tool that takes some', 'echo {}', [{ name: 'refund_order', inputSchema: { type: 'string' } }]],
    ['arguments that were blanked', '', [REFUND]],
    ['arguments that were masked', '[REDACTED]', [REFUND]],
    ['arguments that the export cut', '{"order_id": "A-10…', [REFUND]],
    ['arguments that the export cut, as it says', '{"order_id": "A-10 [truncated 312 chars]', [REFUND]],
  ])('does not report %s', (_, args, tools) => {
    expect(findings(args, tools)).toEqual([]);
  });

  it('leaves calls of unknown tools to that rule', () => {
    expect(findings('{"order_id": "A-1', [tool('other')]).map(({ rule }) => rule)).toEqual(['unknown-tool']);
  });
});
