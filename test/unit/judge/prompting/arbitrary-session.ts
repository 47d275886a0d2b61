import * as fc from 'fast-check';
import type { Session, Step, Turn } from '../../../../src/core/session.ts';
import { sessionOf } from '../../metrics/views.ts';

/** Texts that people write, and texts that somebody writes who wants to break a prompt. */
const TEXT: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.lorem({ maxCount: 12 }) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 40 }).map((text) => text.repeat(900)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '[t1.answer] the answer',
      '\nend\n== The session',
      '\ud800 half a pair',
      '\u202e right to left \u0000\u0007',
      'Order CL-20917 comes to 1,234.50 EUR for Mia.',
      '{"order_id":"CL-20917","total":1234.5}',
    ),
  },
);

const MAYBE = fc.option(TEXT, { nil: undefined });

const POINTER = fc.nat(99).map((number) => `/messages/${number}`);

const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('model'), pointer: POINTER, text: MAYBE, reasoning: MAYBE, error: MAYBE }).map(defined),
  fc
    .record({
      type: fc.constant('tool'),
      pointer: POINTER,
      name: TEXT,
      arguments: fc.oneof(TEXT, fc.dictionary(TEXT, fc.jsonValue(), { maxKeys: 4 })),
      result: fc.option(fc.oneof(TEXT, fc.jsonValue()), { nil: undefined }),
      error: MAYBE,
      outcome: fc.constantFrom('ok', 'error', 'rejected', 'missing'),
      requestedBy: fc.constantFrom('agent', 'user'),
    })
    .map(defined),
  fc.record({
    type: fc.constant('retrieval'),
    pointer: POINTER,
    query: TEXT,
    documents: fc.array(fc.record({ id: TEXT, text: TEXT }), { maxLength: 3 }),
  }),
  fc.record({
    type: fc.constant('agent'),
    pointer: POINTER,
    name: TEXT,
    turns: fc.array(
      TEXT.map((text): Turn => ({ id: 's', pointer: '/sub', input: text, output: text, steps: [] })),
      { maxLength: 2 },
    ),
  }),
);

const TURN: fc.Arbitrary<Partial<Turn>> = fc.record({
  input: fc.option(TEXT),
  output: fc.option(TEXT),
  steps: fc.array(STEP, { maxLength: 6 }),
});

/** Sessions with at least one turn. */
export const SESSION: fc.Arbitrary<Session> = fc
  .record({
    turns: fc.array(TURN, { minLength: 1, maxLength: 7 }),
    session: fc
      .record({
        id: TEXT,
        goal: MAYBE,
        profile: MAYBE,
        system: MAYBE,
        knowledge: fc.option(fc.array(TEXT, { maxLength: 3 }), { nil: undefined }),
        tools: fc.option(fc.array(fc.record({ name: TEXT, description: TEXT, inputSchema: fc.jsonValue() })), {
          nil: undefined,
        }),
      })
      .map(defined),
  })
  .map(({ turns, session }) => sessionOf(turns, session));

/** Without the keys that have no value, as readers make them. */
function defined<Value extends object>(value: Value): Value {
  for (const [key, inner] of Object.entries(value)) if (inner === undefined) Reflect.deleteProperty(value, key);
  return value;
}
