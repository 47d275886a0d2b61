import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Session, Turn } from '../../../../src/core/session.ts';
import { Transcript } from '../../../../src/panel/transcript.ts';
import { searchTurns, type TurnQuery } from '../../../../src/protocol/turn-search.ts';
import { findMatchingTurns } from '../../../../src/report-model/turn-search.ts';
import { group, occurrence } from '../report-fixture.ts';
import { createSession, FILE, result, type SessionFixture, scored, tool, turn } from './session-fixture.ts';

async function found({ model, read }: SessionFixture, wanted: TurnQuery, session: Session | null = read) {
  return z.parse(
    searchTurns.result,
    await findMatchingTurns(model, session && new Transcript(session).search, wanted, new AbortController().signal),
  );
}

const below = { threshold: 0.5, passed: false } as const;

describe('filtering turns', () => {
  const at = (index: number) => occurrence({ session: 's', file: FILE, turn: index });
  const failures = [group('wrong tool', 'high', at(0)), group('repetition', 'low', at(0), at(2))];
  const whole = createSession({
    turns: [
      [turn(), { a: scored(0.1, below), b: scored(1) }],
      [turn(), { a: scored(0.9), b: result('error') }],
      [turn(), { a: result('needs_judge'), b: scored(0.2, below) }],
      [turn(), { a: scored(0.1, { ...below, implied: true }), c: result('vacuous', { score: 1 }) }],
    ],
    report: { failures },
  });

  it.each<[string, TurnQuery, readonly number[]]>([
    ['nothing', {}, [0, 1, 2, 3]],
    ['empty lists', { metrics: [], labels: [], statuses: [], severities: [] }, [0, 1, 2, 3]],
    ['a metric with a score', { metrics: ['a'] }, [0, 1]],
    ['one of two metrics', { metrics: ['a', 'c'] }, [0, 1, 3]],
    ['what is below its threshold', { belowThreshold: true }, [0, 2]],
    ['a metric below its threshold', { metrics: ['b'], belowThreshold: true }, [2]],
    ['a status', { statuses: ['error', 'vacuous'] }, [1, 3]],
    ['a metric with a status', { metrics: ['a'], statuses: ['needs_judge'] }, [2]],
    ['a label', { labels: ['repetition'] }, [0, 2]],
    ['a severity', { severities: ['high', 'critical'] }, [0]],
    ['one failure that is both', { labels: ['repetition'], severities: ['high'] }, []],
    ['all of what is given', { labels: ['repetition'], metrics: ['b'], belowThreshold: true }, [2]],
    ['a metric that there is not', { metrics: ['constructor', '__proto__'] }, []],
  ])('by %s', async (_, wanted, turns) => {
    expect((await found(whole, wanted)).turns).toEqual(turns);
  });

  it('works without a transcript', async () => {
    expect(await found(whole, { labels: ['wrong tool'] }, null)).toEqual({ turns: [0], occurrences: 0, hits: [] });
  });
});

describe('searching text', () => {
  const steps: Turn['steps'] = [
    { type: 'model', pointer: '/m', text: 'Ich suche Straße 5.', reasoning: 'Hm, Order?' },
    tool({ arguments: { order: 'A-1' }, result: { total: 42.5 }, error: 'No order.' }),
    { type: 'retrieval', pointer: '/r', query: 'prices', documents: [{ text: 'none' }, { text: 'an ORDER form' }] },
    { type: 'agent', pointer: '/e', name: 'x', turns: [turn({ input: 'inner order', output: null })] },
    { type: 'model', pointer: '/y', text: 'Your order is here.' },
  ];
  const whole = createSession({
    turns: [
      [turn({ steps, output: 'Your order is here.', input: 'Where is my order?' }), {}],
      [turn({ input: 'Thanks.', output: null }), {}],
    ],
    report: {
      failures: [
        group('wrong tool', 'high', occurrence({ session: 's', file: FILE, turn: 1, reason: 'No ordering was done.' })),
      ],
    },
  });

  it('covers messages, calls and findings in any case, and the answer once', async () => {
    const { turns, occurrences, hits } = await found(whole, { text: 'order' });
    expect(turns).toEqual([0, 1]);
    // input, reasoning, arguments, error, document, sub-agent, answer; and a reason.
    expect(occurrences).toBe(8);
    expect(hits[0]).toEqual({
      turn: 0,
      count: 7,
      snippet: { before: 'Where is my ', match: 'order', after: '?' },
      citation: { turn: 0, step: null, field: 'input', item: 0, start: 12, end: 17 },
    });
    expect(hits[1]).toMatchObject({ turn: 1, count: 1, citation: null, snippet: { before: 'No ', match: 'order' } });
  });

  it.each([
    ['42.5', 'result', 0],
    ['an order f', 'document', 1],
    ['STRASSE', null, 0],
    ['straße', 'text', 0],
    ['inner', 'whole', 0],
    ['a-1', 'arguments', 0],
  ])('finds where %j is', async (text, field, item) => {
    const { hits } = await found(whole, { text });
    if (field === null) expect(hits).toEqual([]);
    else expect(hits[0]?.citation).toMatchObject({ field, item });
  });

  it('finds more with a shorter text and less with a longer one', async () => {
    const numbered = createSession({
      turns: Array.from({ length: 30 }, (_, index) => [turn({ input: `order ${index}` }), {}] as const),
    });
    const count = async (text: string) => (await found(numbered, { text })).turns.length;
    expect([
      await count('order 2'),
      await count('order 29'),
      await count('order'),
      await count('9'),
      await count('rder 2'),
    ]).toEqual([11, 1, 30, 3, 11]);
  });

  it('remembers turns that another filter had left out', async () => {
    const sessionFixture = createSession({
      turns: [
        [turn({ input: 'order 1' }), { a: scored(1) }],
        [turn({ input: 'order 2' }), {}],
      ],
    });
    expect((await found(sessionFixture, { text: 'order', metrics: ['a'] })).turns).toEqual([0]);
    expect((await found(sessionFixture, { text: 'order ' })).turns).toEqual([0, 1]);
  });

  it('says when texts could not be searched', async () => {
    expect(await found(whole, { text: 'order' }, null)).toMatchObject({ turns: [1], unread: true });
  });

  it('takes the text literally', async () => {
    const hostile = createSession({
      turns: [
        [turn({ input: 'a.b (c) [d] \\ $' }), {}],
        [turn({ input: 'aXb' }), {}],
      ],
    });
    for (const text of ['a.b', '(c)', '[d]', '\\', '$']) expect((await found(hostile, { text })).turns).toEqual([0]);
  });

  it('has a limit per turn, and starts each turn at its beginning', async () => {
    const many = createSession({
      turns: [
        [turn({ input: 'a '.repeat(5000), output: null }), {}],
        [turn({ input: 'a', output: null }), {}],
      ],
    });
    const { turns, hits } = await found(many, { text: 'a' });
    expect(turns).toEqual([0, 1]);
    expect(hits.map(({ count }) => count)).toEqual([1000, 1]);
  });

  it('does not split a character in a snippet', async () => {
    const emoji = createSession({ turns: [[turn({ input: `${'😀'.repeat(30)}yx${'😀'.repeat(30)}` }), {}]] });
    const [hit] = (await found(emoji, { text: 'x' })).hits;
    expect(JSON.stringify(hit)).not.toContain('\\ud83d"');
    expect(hit?.snippet.before.isWellFormed()).toBe(true);
  });

  it('stops when it is cancelled, and lets other requests run meanwhile', async () => {
    const long = `${'no such text '.repeat(20_000)}word`;
    const { model, read } = createSession({
      turns: Array.from({ length: 2000 }, () => [turn({ input: long }), {}] as const),
    });
    const stop = new AbortController();
    const search = findMatchingTurns(model, new Transcript(read).search, { text: 'word' }, stop.signal);
    setTimeout(() => stop.abort(), 0);
    expect((await search).turns).toEqual([]);
  });
});
