import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { checkConfiguration } from '../../../../src/config/check.ts';
import { REGISTRY } from '../../../../src/config/registry.ts';
import type { Document } from '../../../../src/core/document.ts';
import { agentToolCalls } from '../../../../src/core/session.ts';
import type { SyncFormat } from '../../../../src/formats/format.ts';
import { detect, FORMATS } from '../../../../src/formats/index.ts';
import { formatsWithMappings, mappedFormat } from '../../../../src/formats/mapped/mapped-format.ts';
import { mappingSchema } from '../../../../src/formats/mapped/mapping.ts';
import { parsePath } from '../../../../src/formats/mapped/path.ts';
import {
  callAt,
  codes,
  fixture,
  json,
  jsonLines,
  onlySession,
  pointersOf,
  read,
  resolve,
  turnAt,
} from '../read-fixture.ts';

function mapped(mapping: unknown): SyncFormat {
  return mappedFormat(mappingSchema.parse(mapping));
}

const QA = { path: 'turns', input: 'q', output: 'a' };
const CHAT = { path: 'log', role: 'who', text: 'said' };

describe('the examples of the documentation', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'formats.md'), 'utf8');
  const section = page.slice(page.indexOf('## Anything else: your own mapping'));
  const blocks = [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text = '']) => ({
    language,
    text,
  }));
  const [json1, yaml1, lines2, yaml2] = blocks;

  function configured(yaml: string | undefined): SyncFormat {
    const { configuration, issues: complaints } = checkConfiguration(parseYaml(yaml ?? ''), REGISTRY);
    expect(complaints).toEqual([]);
    const format = [configuration?.map ?? []].flat().map(mappedFormat).at(-1);
    if (!format) throw new Error('There is no format.');
    return format;
  }

  const examples: readonly [string, () => { format: SyncFormat; document: Document }][] = [
    ['turns', () => ({ format: configured(yaml1?.text), document: json(JSON.parse(json1?.text ?? ''), 'runs.json') })],
    [
      'events',
      () => ({
        format: configured(yaml2?.text),
        document: jsonLines(
          (lines2?.text ?? '').split('\n').map((line) => (line === '' ? undefined : JSON.parse(line))),
          'events.jsonl',
        ),
      }),
    ],
  ];

  it('are two logs with a mapping each', () => {
    expect(blocks.map(({ language }) => language)).toEqual(['json', 'yaml', 'jsonl', 'yaml']);
  });

  it.each(examples)('%s: gives the same session as other formats', (_, example) => {
    const { format, document } = example();
    const { sessions, problems } = format.read(document);
    expect(problems).toEqual([]);
    const [other] = read(fixture('conv.session.json')).sessions;
    const essence = (session: typeof other) =>
      session?.turns.map((turn) => ({
        input: turn.input,
        output: turn.output,
        calls: agentToolCalls(turn).map((call) => [call.name, call.arguments, call.outcome]),
      }));
    expect(essence(sessions[0])).toEqual(essence(other));
    expect(sessions[0]?.id).toBe('r-17');
    expect(agentToolCalls(turnAt(sessions[0], 0)).map(({ error }) => error)).toEqual([
      undefined,
      'amount exceeds order total 42.50',
      undefined,
      'there is no tool cancel_order',
      undefined,
    ]);
  });

  it.each(examples)('%s: is detected by no other format, with valid pointers', (_, example) => {
    const { format, document } = example();
    expect(detect(document)).toBeNull();
    expect(format.detect(document)).toMatch(/^a file with (?:turns|messages) where the mapping/);
    const reading = format.read(document);
    for (const pointer of pointersOf(reading)) resolve(document.value, pointer);
    for (const turn of reading.sessions.flatMap(({ turns }) => turns)) {
      expect(resolve(document.value, turn.inputPointer ?? '')).toBe(turn.input);
      if (turn.output !== null) expect(resolve(document.value, turn.outputPointer ?? '')).toBe(turn.output);
      for (const call of agentToolCalls(turn)) {
        const text = resolve(document.value, call.resultPointer ?? '');
        expect(text).toEqual(call.result ?? call.error);
      }
    }
  });

  it('events: separates interleaved sessions and reads times', () => {
    const { format, document } = examples[1]?.[1]() ?? { format: mapped({ turns: QA }), document: json(null) };
    const { sessions } = format.read(document);
    expect(sessions.map(({ id, turns }) => [id, turns.length])).toEqual([
      ['r-17', 2],
      ['r-18', 1],
    ]);
    const turn = turnAt(sessions[0], 0);
    expect([turn.startedAt, turn.endedAt]).toEqual(['2026-03-03T10:00:00.000Z', '2026-03-03T10:00:12.000Z']);
    expect(turn.steps.filter(({ type }) => type === 'model')).toHaveLength(6);
  });
});

describe('paths', () => {
  const value = { a: { 'b.c': [{ d: 1 }, { d: 2 }] }, 'x/y': { '*': 'star', '~': 'tilde' }, e: [], __proto__x: 1 };

  it.each<[string, string | null]>([
    ['a', JSON.stringify({ 'b.c': [{ d: 1 }, { d: 2 }] })],
    ['/a/b.c/0/d', '1'],
    ['/x~1y/*', 'star'],
    ['/x~1y/~0', 'tilde'],
    ['/a/b.c/01/d', null],
    ['a.*[1].d', '2'],
    ['a.*[*].d', '1\n2'],
    ['a[*][*].d', '1\n2'],
    ['__proto__', null],
    ['constructor', null],
    ['a.length', null],
    ['e.length', null],
  ])('%s finds %s', (path, text) => {
    const format = mapped({ turns: { path: '', input: path, output: 'nothing' } });
    const { sessions } = format.read(json(value));
    expect(sessions.flatMap(({ turns }) => turns.map(({ input }) => input))).toEqual([text]);
  });

  it.each(['a..b', '.a', 'a.', 'a[', 'a[x]', 'a[-1]', 'a[?(@.b)]', 'a]', 'a[0]b', '/a~2', '$.a', '$', 'a[*]b'])(
    '%s is none',
    (path) => {
      expect(parsePath(path)).toMatch(/^must /);
      expect(mappingSchema.safeParse({ turns: { ...QA, input: path } }).success).toBe(false);
    },
  );

  it('of several, the first with a value other than null wins', () => {
    const format = mapped({ turns: { path: '', input: ['x', 'y.z', 'w'], output: 'o' } });
    const document = json([
      { x: null, y: { z: 'deep' }, o: '1' },
      { w: 'last', o: '2' },
      { x: 'first', w: 'no', o: '3' },
    ]);
    expect(onlySession(format.read(document)).turns.map(({ input }) => input)).toEqual(['deep', 'last', 'first']);
  });

  it("lead into JSON in a string, with the string's pointer", () => {
    const format = mapped({ sessions: 'data.runs', turns: { ...QA, calls: { path: 'c', name: 'n', arguments: 'g' } } });
    const runs = [{ turns: [{ q: 'hi', a: 'hello', c: [{ n: 'f', g: '{"x": 1}' }] }] }];
    const document = json({ data: JSON.stringify(JSON.stringify({ runs })) });
    const turn = turnAt(onlySession(format.read(document)), 0);
    expect(turn).toMatchObject({ input: 'hi', inputPointer: '/data', pointer: '/data' });
    expect(callAt(turn, 0)).toMatchObject({ name: 'f', arguments: { x: 1 }, pointer: '/data' });
  });

  it('convert values that are not text', () => {
    const format = mapped({ turns: { path: '', input: 'q', output: 'a' } });
    const turns = onlySession(
      format.read(
        json([
          { q: 42, a: true },
          { q: { b: 1, a: 2 }, a: ['x'] },
          { q: '', a: '' },
        ]),
      ),
    ).turns;
    expect(turns.map(({ input, output }) => [input, output])).toEqual([
      ['42', 'true'],
      ['{"a":2,"b":1}', '["x"]'],
      ['', null],
    ]);
  });
});

describe('the location of sessions', () => {
  const turn = (q: string) => ({ q, a: q.toUpperCase() });
  const inputs = (format: SyncFormat, document: Document) =>
    format.read(document).sessions.map(({ id, turns }) => [id, ...turns.map(({ input }) => input)]);

  it.each<[string, object, Document, unknown]>([
    ['in an object: it is one', {}, json({ turns: [turn('a'), turn('b')] }, 'x.json'), [['x', 'a', 'b']]],
    [
      'in a list: each entry',
      {},
      json([{ turns: [turn('a')] }, { turns: [turn('b')] }], 'x.json'),
      [
        ['x-1', 'a'],
        ['x-2', 'b'],
      ],
    ],
    ['on lines', {}, jsonLines([undefined, { turns: [turn('a')] }], 'x.jsonl'), [['line-2', 'a']]],
    ['at a path', { sessions: 'all' }, json({ all: [{ turns: [turn('a')] }] }, 'x.json'), [['x-1', 'a']]],
    [
      'in an object of them',
      { sessions: 'all.*', id: 'id' },
      json({ all: { s1: { id: 7, turns: [turn('a')] } } }),
      [['7', 'a']],
    ],
    [
      'turns alone in a list: the file is one',
      { turns: { ...QA, path: '' } },
      json([turn('a'), turn('b')], 'x.json'),
      [['x', 'a', 'b']],
    ],
    [
      'turns alone on lines: the file is one',
      { turns: { ...QA, path: '' } },
      jsonLines([turn('a'), turn('b')], 'x.jsonl'),
      [['x', 'a', 'b']],
    ],
    [
      'turns alone, each a session',
      { sessions: '', turns: { ...QA, path: '' } },
      jsonLines([turn('a'), turn('b')]),
      [
        ['line-1', 'a'],
        ['line-2', 'b'],
      ],
    ],
    ['one turn, not in a list', { turns: { ...QA, path: 'turn' } }, json({ turn: turn('a') }, 'x.json'), [['x', 'a']]],
    [
      'in parts',
      { groupBy: 's', turns: { ...QA, path: '' } },
      jsonLines([{ s: 'A', ...turn('a') }, { s: 'B', ...turn('b') }, { s: 'A', ...turn('c') }, turn('d')]),
      [
        ['A', 'a', 'c'],
        ['B', 'b'],
        ['line-4', 'd'],
      ],
    ],
    [
      'of equal ids',
      { id: 's' },
      json([
        { s: 'A', turns: [turn('a')] },
        { s: 'A', turns: [turn('b')] },
      ]),
      [
        ['A', 'a'],
        ['A#2', 'b'],
      ],
    ],
  ])('%s', (_, mapping, document, expected) => {
    const format = mapped({ turns: QA, ...mapping });
    expect(format.detect(document)).not.toBeNull();
    expect(inputs(format, document)).toEqual(expected);
  });

  it('reads other values of a session', () => {
    const format = mapped({
      id: 'meta.id',
      goal: 'meta.goal',
      system: 'meta.prompt',
      tools: 'meta.tools',
      metadata: 'meta.more',
      task: { id: 'meta.task', trial: 'meta.try', dataset: 'meta.set', agent: 'meta.by' },
      turns: { ...QA, id: 'n', reference: 'should' },
    });
    const meta = {
      id: 's',
      goal: 'g',
      prompt: ['be', 'kind'],
      tools: JSON.stringify([{ name: 'f', parameters: {} }]),
      more: { a: 1, b: null },
      task: 5,
      try: 0,
      set: 'd',
      by: 'x',
    };
    const session = onlySession(
      format.read(json({ meta, turns: [{ n: 'one', q: 'hi', a: 'hello', should: 'hello!' }] })),
    );
    expect(session).toMatchObject({
      id: 's',
      goal: 'g',
      system: '["be","kind"]',
      tools: [{ name: 'f', inputSchema: {} }],
      metadata: { a: 1 },
      task: { id: '5', trial: '0', dataset: 'd', agent: 'x' },
      source: { format: 'map', pointer: '' },
    });
    expect(turnAt(session, 0)).toMatchObject({ id: 'one', reference: { response: 'hello!' } });
  });
});

describe('calls of turns', () => {
  const calls = { path: 'c', name: 'n', result: 'r', error: 'e', id: 'i', startedAt: 's', endedAt: 't' };
  const callsOf = (input: readonly unknown[], mapping: object = calls) =>
    agentToolCalls(
      turnAt(
        onlySession(
          mapped({ turns: { ...QA, calls: mapping } }).read(json({ turns: [{ q: 'hi', a: 'x', c: input }] })),
        ),
        0,
      ),
    );

  it.each<[string, object, object]>([
    ['a result', { r: { ok: 1 } }, { outcome: 'ok', result: { ok: 1 }, resultPointer: '/turns/0/c/0/r' }],
    ['a result that is null', { r: null }, { outcome: 'ok', result: null, resultPointer: '/turns/0/c/0/r' }],
    ['nothing', {}, { outcome: 'missing', resultPointer: undefined }],
    ['an error', { e: 'no' }, { outcome: 'error', error: 'no', resultPointer: '/turns/0/c/0/e' }],
    [
      'both',
      { r: 'partly', e: 'no' },
      { outcome: 'error', error: 'no', result: 'partly', resultPointer: '/turns/0/c/0/r' },
    ],
    ['an error that is an object', { e: { message: 'no' } }, { outcome: 'error', error: 'no' }],
    ['an error that is null', { r: 'yes', e: null }, { outcome: 'ok', error: undefined }],
    ['an error that is empty', { r: 'yes', e: '' }, { outcome: 'ok', error: undefined }],
    ['a flag', { r: 'it broke', e: true }, { outcome: 'error', error: 'it broke' }],
    ['a flag alone', { e: true }, { outcome: 'error', error: undefined }],
    ['a flag that is off, whatever the text says', { r: 'Error: none', e: false }, { outcome: 'ok', error: undefined }],
    ['an exit code', { r: 'boo', e: 127 }, { outcome: 'error', error: 'boo' }],
    ['exit code 0', { r: 'Error: none', e: 0 }, { outcome: 'ok', error: undefined }],
    ['a result that says so', { r: 'Error: no such order' }, { outcome: 'error', error: 'Error: no such order' }],
    [
      'times',
      { r: 1, s: 1772532000123, t: '2026-03-03T10:00:01Z' },
      { startedAt: '2026-03-03T10:00:00.123Z', endedAt: '2026-03-03T10:00:01Z' },
    ],
  ])('%s', (_, input, expected) => {
    expect(callsOf([{ n: 'f', i: 9, ...input }])[0]).toMatchObject({ id: '9', requestedBy: 'agent', ...expected });
  });

  it('without result paths count as executed', () => {
    expect(callsOf([{ n: 'f', g: { x: 1 } }], { path: 'c', name: 'n', arguments: 'g' })[0]).toMatchObject({
      outcome: 'ok',
      arguments: { x: 1 },
    });
  });

  it('may have a path per argument', () => {
    const [call] = callsOf([{ n: 'f', x: 1, y: null, z: [2] }], {
      path: 'c',
      name: 'n',
      arguments: { first: 'x', second: 'y', third: 'z[0]' },
    });
    expect(call?.arguments).toEqual({ first: 1, second: null, third: 2 });
  });

  it('without a name are skipped', () => {
    const reading = mapped({ turns: { ...QA, calls } }).read(
      json({ turns: [{ q: 'hi', a: 'x', c: [{ r: 1 }, 'f', null] }] }),
    );
    expect(agentToolCalls(turnAt(onlySession(reading), 0))).toEqual([]);
    expect(codes(reading)).toContain('warning call-without-name');
  });
});

describe('messages', () => {
  const roles = { ask: 'user', say: 'agent', did: 'call', got: 'tool', note: 'system', tick: 'ignore' };
  const session = (log: readonly unknown[], more: object = {}) => {
    const mapping = { ...CHAT, roles, calls: { name: 'f' }, result: {}, ...more };
    return mapped({ messages: mapping }).read(json({ log }));
  };

  it('know common role names', () => {
    const reading = mapped({ messages: CHAT }).read(
      json({
        log: [
          { who: 'system', said: 'be kind' },
          { who: 'assistant', said: 'Welcome.' },
          { who: 'human', said: 'hi' },
          { who: 'ai', said: 'hello' },
        ],
      }),
    );
    expect(reading.problems).toEqual([]);
    expect(onlySession(reading)).toMatchObject({
      system: 'be kind',
      turns: [
        { input: null, output: 'Welcome.' },
        { input: 'hi', output: 'hello' },
      ],
    });
  });

  it('with unknown roles are reported once per role', () => {
    const { problems } = session([
      { who: 'ask', said: 'hi' },
      { who: 'critic' },
      { who: 'critic' },
      { said: 'x' },
      { who: { a: 1 } },
      7,
    ]);
    expect(problems.map(({ pointer, message }) => `${pointer} ${message}`)).toEqual([
      '/log/1 2 entries are skipped: map.messages.roles has no entry for "critic". Map it to one of user, agent, system, tool, call, ignore.',
      '/log/3 3 entries are skipped: map.messages.role finds no role name there.',
    ]);
  });

  it('attach separate call entries to the message before them, and match results in order', () => {
    const turn = turnAt(
      onlySession(
        session([
          { who: 'ask', said: 'hi' },
          { who: 'say', said: 'Let me see.' },
          { who: 'did', f: 'a' },
          { who: 'tick' },
          { who: 'did', f: 'b' },
          { who: 'got', said: 'A' },
          { who: 'got', said: 'Error: B' },
          { who: 'did', f: 'c' },
          { who: 'say', said: 'Done.' },
        ]),
      ),
      0,
    );
    expect(
      turn.steps.map((step) => (step.type === 'tool' ? `${step.name} ${step.outcome} ${step.result}` : step.type)),
    ).toEqual(['model', 'a ok A', 'b error Error: B', 'model', 'c missing undefined', 'model']);
    expect(turn.output).toBe('Done.');
  });

  it('may contain calls and their results', () => {
    const calls = {
      path: 'calls',
      name: 'f',
      id: 'id',
      arguments: 'with',
      result: 'r',
      error: 'e',
      startedAt: 's',
      endedAt: 't',
    };
    const reading = session(
      [
        { who: 'ask', said: 'hi' },
        {
          who: 'say',
          said: '',
          calls: [
            { f: 'a' },
            { f: 'a', with: '{"x":1}', r: 'second', s: '2026-01-01T00:00:00Z', t: '2026-01-01T00:00:01Z' },
            { f: 'a', e: 'third' },
          ],
        },
        { who: 'say', said: 'Done.', calls: [] },
      ],
      { calls },
    );
    expect(
      agentToolCalls(turnAt(onlySession(reading), 0)).map(({ outcome, result, error, arguments: args }) => [
        outcome,
        result,
        error,
        args,
      ]),
    ).toEqual([
      ['missing', undefined, undefined, {}],
      ['ok', 'second', undefined, { x: 1 }],
      ['error', undefined, 'third', {}],
    ]);
    expect(callAt(turnAt(onlySession(reading), 0), 1)).toMatchObject({
      startedAt: '2026-01-01T00:00:00Z',
      endedAt: '2026-01-01T00:00:01Z',
      resultPointer: '/log/1/calls/1/r',
    });
  });

  it('may be results with a call id and an error flag', () => {
    const result = { value: 'out.data', call: 'of', name: 'f', error: 'out.failed' };
    const reading = session(
      [
        { who: 'ask', said: 'hi' },
        { who: 'did', f: 'a', id: 1 },
        { who: 'did', f: 'b' },
        { who: 'got', f: 'b', out: { data: [1], failed: false } },
        { who: 'got', of: 1, out: { data: 'oops', failed: true } },
      ],
      { calls: { name: 'f', id: 'id' }, result },
    );
    expect(
      agentToolCalls(turnAt(onlySession(reading), 0)).map(({ name, outcome, result: value, error }) => [
        name,
        outcome,
        value,
        error,
      ]),
    ).toEqual([
      ['a', 'error', 'oops', 'oops'],
      ['b', 'ok', [1], undefined],
    ]);
  });
});

describe('paths without a match', () => {
  const told = (mapping: unknown, value: unknown) => {
    const { sessions, problems } = mapped(mapping).read(json(value));
    return [
      sessions.length,
      ...problems.map(({ severity, code, pointer, message }) => `${severity} ${code} ${pointer}: ${message}`),
    ];
  };

  it('are reported once per path, with the available keys', () => {
    const turns = [
      { question: 'a', answer: { text: 'b' } },
      { question: 'c', answer: { text: 'd' } },
    ];
    expect(
      told(
        { turns: { path: 'turns', input: 'question', output: ['answer.txt', 'reply'], startedAt: '/at' } },
        { turns },
      ),
    ).toEqual([
      1,
      'warning path-without-match /turns/0/answer: No value at "answer.txt" or "reply" (map.turns.output) in any of the 2 places searched: the keys there are text. If this file has such a value, correct the path.',
      'warning path-without-match /turns/0: No value at "/at" (map.turns.startedAt) in any of the 2 places searched: the keys there are question, answer. If this file has such a value, correct the path.',
    ]);
  });

  it.each<[string, unknown, unknown, string[]]>([
    [
      'no sessions',
      { sessions: 'runs', turns: QA },
      { run: [] },
      [
        'error no-session : The mapping "map" finds no session in this file. No value at "runs" (map.sessions) in the one place searched: the keys there are run.',
      ],
    ],
    [
      'no list',
      { turns: QA },
      { turn: [] },
      ['error no-session : The mapping "map" finds no session in this file. No value at "turns" (map.turns.path)'],
    ],
    [
      'an empty list',
      { sessions: 'runs', turns: QA },
      { runs: [] },
      ['error no-session : The mapping "map" finds no session in this file. The file is empty.'],
    ],
    [
      'no object',
      { turns: QA },
      'text',
      [
        'error no-session : The mapping "map" finds no session in this file. No value at "turns" (map.turns.path) in the one place searched: there is a string.',
      ],
    ],
  ])('%s', (_, mapping, value, expected) => {
    const [sessions, ...sentences] = told(mapping, value);
    expect(sessions).toBe(0);
    expect(sentences).toEqual(expected.map((sentence) => expect.stringContaining(sentence)));
  });

  it('do not affect other sessions of the file', () => {
    expect(told({ turns: QA }, [{ turns: [{ q: 'a', a: 'b' }] }, { other: 1 }])).toEqual([
      1,
      'warning not-a-conversation /1: Entry skipped: map.turns.path finds nothing.',
    ]);
  });

  it('are not reported for null, rare values and empty lists', () => {
    const calls = { path: 'calls[*]', name: 'f', error: 'e' };
    const turns = [
      { q: 'a', a: null, calls: [] },
      { q: 'b', a: null, calls: [{ f: 'x' }, { f: 'y', e: null }] },
    ];
    expect(told({ turns: { ...QA, calls } }, { turns })).toEqual([1]);
    expect(
      told({ turns: { ...QA, calls: { path: 'calls[*].made', name: 'f' } } }, { turns: turns.slice(0, 1) }),
    ).toEqual([1]);
  });

  it('a turn without content is reported', () => {
    const reading = mapped({ turns: QA }).read(json({ turns: [{ q: 'a', a: 'b' }, { tokens: 5 }, 7] }));
    expect(onlySession(reading).turns.map(({ captured }) => captured)).toEqual([undefined, false]);
    expect(codes(reading)).toEqual(['warning no-content', 'warning not-a-turn']);
  });
});

describe('detection', () => {
  it.each<[string, object, unknown, boolean]>([
    ['turns', { turns: QA }, { turns: [{ q: 'a' }] }, true],
    ['turns with other keys', { turns: QA }, { turns: [{ question: 'a' }] }, false],
    ['turns whose input is no text', { turns: QA }, { turns: [{ q: { a: 1 } }] }, false],
    ['messages', { messages: CHAT }, { log: [{ who: 'user' }, { who: 'user' }, { who: 'critic' }] }, true],
    ['messages of unknown roles', { messages: CHAT }, { log: [{ who: 'critic' }, { who: 'user' }, {}] }, false],
    ['no list', { messages: CHAT }, { who: 'user', said: 'x' }, false],
    ['a manifest', { messages: CHAT }, { name: 'x', version: '1' }, false],
    ['null', { messages: { ...CHAT, path: '' } }, null, false],
  ])('%s', (_, mapping, value, fits) => {
    expect(mapped(mapping).detect(json(value)) !== null).toBe(fits);
  });

  it('looks at a bounded part of the document', () => {
    let looked = 0;
    const get = (target: object, key: PropertyKey) => {
      looked += 1;
      return Reflect.get(target, key);
    };
    const entry = () => new Proxy({ who: 'critic' }, { get });
    const log = Array.from({ length: 5000 }, entry);
    const format = mapped({ sessions: 'all', messages: CHAT });
    expect(format.detect(json({ all: Array.from({ length: 5000 }, () => ({ log })) }))).toBeNull();
    expect(looked).toBeGreaterThan(0);
    expect(looked).toBeLessThan(1000);
  });

  it('comes after all other formats', () => {
    expect(
      formatsWithMappings([mappingSchema.parse({ turns: QA }), mappingSchema.parse({ name: 'b', messages: CHAT })]).map(
        ({ name }) => name,
      ),
    ).toEqual([...FORMATS.map(({ name }) => name), 'map', 'b']);
  });
});

describe('hostile input', () => {
  const key = fc.constantFrom('turns', 'q', 'a', 'c', 'n', 'log', 'who', 'said', '__proto__', 'constructor', 'x');
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'medium' },
      fc.constantFrom<unknown>(
        null,
        true,
        0,
        'user',
        'assistant',
        'did',
        'tool',
        '',
        '[{"q":"x"}]',
        '{"a":',
        '\ud800',
        1e21,
      ),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 5 }),
    ),
  }));
  const path = fc.oneof(key, fc.constantFrom('', '*', 'turns[*]', 'log.*', 'c[0].n', '/turns/0', 'x.*.q'));
  const paths = fc.oneof(path, fc.array(path, { minLength: 1, maxLength: 2 }));
  const call = { name: paths, arguments: paths, id: paths, result: paths, error: paths, startedAt: paths };
  const mapping = fc.record(
    {
      sessions: paths,
      groupBy: paths,
      id: paths,
      goal: paths,
      system: paths,
      tools: paths,
      metadata: paths,
      task: fc.record({ id: paths, trial: paths }),
    },
    { requiredKeys: [] },
  );
  const style = fc.oneof(
    fc.record({
      turns: fc.record({
        path: paths,
        input: paths,
        output: paths,
        id: paths,
        endedAt: paths,
        calls: fc.record({ ...call, path: paths }),
      }),
    }),
    fc.record({
      messages: fc.record({
        path: paths,
        role: paths,
        text: paths,
        time: paths,
        calls: fc.record({ ...call, path: paths }),
        roles: fc.constant({ did: 'call', __proto__x: 'user' }),
        result: fc.record({ value: paths, call: paths, error: paths }),
      }),
    }),
  );

  it('never throws, and gives valid pointers and full sentences', () => {
    fc.assert(
      fc.property(fc.tuple(mapping, style), tree, fc.boolean(), ([session, content], value, lines) => {
        const format = mapped({ ...session, ...content });
        const document = { file: 'x.json', value: lines ? [value, undefined, value] : value, lines };
        format.detect(document);
        const reading = format.read(document);
        for (const pointer of pointersOf(reading)) resolve(document.value, pointer);
        for (const { message } of reading.problems) expect(message).toMatch(/\.$/);
        if (reading.sessions.length === 0)
          expect(reading.problems.some(({ severity }) => severity === 'error')).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('deep nesting does not throw', () => {
    let deep: unknown = 'x';
    for (let depth = 0; depth < 100_000; depth += 1) deep = depth % 2 ? [deep] : { q: deep, who: 'user', said: deep };
    for (const format of [
      mapped({
        goal: 'turns',
        metadata: 'turns',
        turns: { ...QA, calls: { path: 'turns', name: 'q', arguments: 'q', result: 'q', error: 'q' } },
      }),
      mapped({ messages: { ...CHAT, path: 'turns', calls: { path: 'said', name: 'who', arguments: 'said' } } }),
    ]) {
      format.detect(json({ turns: [deep] }));
      format.read(json({ turns: [deep] }));
    }
  });
});
