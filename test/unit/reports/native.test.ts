import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ARGUMENT_MATCH_MODES, CALL_MATCH_MODES } from '../../../src/core/schemas/expectations.ts';
import type { Session, Step, Turn } from '../../../src/core/session.ts';
import { ENDING_CAUSES } from '../../../src/core/statuses.ts';
import { turnwise } from '../../../src/formats/turnwise.ts';
import { nativeChunks } from '../../../src/reports/native.ts';

const text = fc.string({ unit: 'grapheme' });
const name = fc.string({ unit: 'grapheme', minLength: 1 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const time = fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString());
const key = fc.oneof(name, fc.constant('__proto__'));
const object = fc.dictionary(key, fc.jsonValue());
const pointer = fc.constant('/somewhere/else');
const tools = fc.array(
  fc.record({ name, description: maybe(text), inputSchema: maybe(fc.jsonValue()), changesState: maybe(fc.boolean()) }),
);
const scores = fc.dictionary(key, fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), text));
const calls = fc.array(fc.record({ name, arguments: maybe(object), step: maybe(fc.nat()) }));
const suppressions = fc.array(fc.record({ rule: name, reason: text }));

const tool = fc.record({
  type: fc.constant('tool' as const),
  pointer,
  resultPointer: maybe(pointer),
  id: maybe(text),
  name,
  arguments: fc.oneof(object, text),
  requestedBy: fc.constantFrom('agent' as const, 'user' as const),
  speaker: maybe(text),
  step: maybe(fc.nat()),
  startedAt: maybe(time),
  endedAt: maybe(time),
});
const ended = fc.oneof(
  fc.record({ outcome: fc.constantFrom('ok' as const, 'rejected' as const), result: fc.jsonValue() }),
  fc.record({ outcome: fc.constant('error' as const), error: maybe(text), result: maybe(fc.jsonValue()) }),
  fc.record({ outcome: fc.constant('missing' as const) }),
);

const { turn } = fc.letrec<{ turn: Turn; step: Step }>((tie) => ({
  step: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({
      type: fc.constant('model' as const),
      pointer,
      text: maybe(text),
      reasoning: maybe(text),
      model: maybe(text),
      finishReason: maybe(text),
      speaker: maybe(text),
      usage: maybe(fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat(), cachedTokens: maybe(fc.nat()) })),
      error: maybe(text),
      startedAt: maybe(time),
      endedAt: maybe(time),
    }),
    fc.tuple(tool, ended).map(([call, end]): Step => ({ ...call, ...end })),
    fc.record({
      type: fc.constant('retrieval' as const),
      pointer,
      query: maybe(text),
      documents: fc.array(
        fc.record({ id: maybe(text), text, score: maybe(fc.double({ noNaN: true, noDefaultInfinity: true })) }),
      ),
    }),
    fc.record({
      type: fc.constant('agent' as const),
      pointer,
      id: maybe(text),
      name,
      turns: fc.array(tie('turn'), { maxLength: 2 }).map(withIds),
    }),
  ),
  turn: fc.record({
    id: fc.constant('t'),
    pointer,
    file: maybe(text),
    input: fc.option(text),
    inputPointer: maybe(pointer),
    output: fc.option(text),
    captured: maybe(fc.constant(false as const)),
    startedAt: maybe(time),
    endedAt: maybe(time),
    tools: maybe(tools),
    steps: fc.array(tie('step'), { maxLength: 3 }),
    reference: maybe(
      fc.record({
        response: maybe(text),
        toolCalls: maybe(calls),
        orderMatters: maybe(fc.boolean()),
        forbiddenTools: maybe(fc.array(text)),
        documents: maybe(fc.array(text)),
        usesToolResults: maybe(fc.boolean()),
      }),
    ),
    scores: maybe(scores),
    importedFailures: maybe(
      fc.constant({ helpfulness: { group: 'g', title: 't', explanation: 'e', severity: 'high' as const } }),
    ),
    suppressions: maybe(suppressions),
  }),
}));

const expectations = fc.record({
  toolCalls: maybe(
    fc.record({
      matchMode: maybe(fc.constantFrom(...CALL_MATCH_MODES)),
      expected: fc.array(
        fc.record({ name, args: maybe(object), argMatchMode: maybe(fc.constantFrom(...ARGUMENT_MATCH_MODES)) }),
      ),
      forbidden: maybe(fc.array(name)),
    }),
  ),
  answer: maybe(fc.record({ equals: maybe(text), contains: maybe(fc.array(name)), excludes: maybe(fc.array(name)) })),
  noFindings: maybe(fc.array(name)),
});

function withIds(turns: readonly Turn[]): Turn[] {
  return turns.map((turn, index) => ({ ...turn, id: `t${index + 1}` }));
}

const session: fc.Arbitrary<Session> = fc.record({
  id: name,
  source: fc.constant({ file: 'a.json', format: 'openai-chat', pointer: '' }),
  goal: maybe(text),
  profile: maybe(text),
  system: maybe(text),
  knowledge: maybe(fc.array(text)),
  metadata: maybe(object),
  task: maybe(fc.record({ id: text, trial: maybe(text), dataset: maybe(text), agent: maybe(text) })),
  tools: maybe(tools),
  reference: maybe(
    fc.record({
      goalReached: maybe(fc.boolean()),
      finalState: maybe(fc.jsonValue()),
      documents: maybe(fc.array(text)),
      toolCalls: maybe(calls),
      expectations: maybe(expectations),
    }),
  ),
  finalState: maybe(fc.jsonValue()),
  scores: maybe(scores),
  ending: maybe(fc.record({ cause: fc.constantFrom(...ENDING_CAUSES), reason: text, pointer: fc.constant('/end') })),
  suppressions: maybe(suppressions),
  turns: fc.array(turn, { maxLength: 4 }).map(withIds),
});

/** Everything but places. */
function bare(sessions: readonly Session[]): unknown {
  const places = new Set([
    ...['source', 'pointer', 'file', 'inputPointer', 'outputPointer', 'resultPointer'],
    ...['goalPointer', 'systemPointer', 'knowledgePointer', 'finalStatePointer'],
  ]);
  return JSON.parse(JSON.stringify(sessions, (key, value: unknown) => (places.has(key) ? undefined : value)));
}

describe('nativeChunks', () => {
  it('writes sessions that read back the same', () => {
    fc.assert(
      fc.property(fc.uniqueArray(session, { maxLength: 3, selector: ({ id }) => id }), (sessions) => {
        const value: unknown = JSON.parse([...nativeChunks(sessions)].join(''));
        const document = { file: 'b.json', value, lines: false };
        const reading = turnwise.read(document);
        if (sessions.length > 0) expect(turnwise.detect(document)).not.toBeNull();
        expect(reading.problems.filter(({ severity }) => severity === 'error' && sessions.length > 0)).toEqual([]);
        expect(bare(reading.sessions)).toEqual(bare(sessions));
      }),
    );
  });

  it('formats sessions for reading and editing', () => {
    const session: Session = { id: 's', source: { file: 'a', format: 'f', pointer: '' }, turns: [] };
    expect([...nativeChunks([session])].join('')).toBe(
      '{\n  "turnwise": 1,\n  "sessions": [\n    {\n      "id": "s",\n      "turns": []\n    }\n  ]\n}\n',
    );
  });
});
