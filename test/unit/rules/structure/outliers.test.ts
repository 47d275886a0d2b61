import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Session, TokenUsage } from '../../../../src/core/session.ts';
import { collectFindings } from '../../../../src/rules/index.ts';
import { findOutliers } from '../../../../src/rules/structure/outliers.ts';
import { sessionsOf } from '../public-data.ts';
import { evidencePointers, findingIds, findingMessages, ok, onlyRule, session } from '../session-builder.ts';

const SLOW = onlyRule('latency-outlier');
const LARGE = onlyRule('token-outlier');
const USUAL = [7000, 7600, 7700, 7800, 7800, 7900, 8100, 9000];

function at(milliseconds: number): string {
  return new Date(Date.UTC(2026, 0, 1) + milliseconds).toISOString();
}

/** A session of turns that took so many milliseconds. */
function lasting(...durations: readonly (number | null)[]): Session {
  const plain = session(durations.map(() => ({ user: 'Go on.', agent: 'Here you are.' })));
  const turns = plain.turns.map((turn, index) => {
    const duration = durations[index] ?? null;
    return duration === null ? turn : { ...turn, startedAt: at(0), endedAt: at(duration) };
  });
  return { ...plain, turns };
}

/** A session of one turn whose calls of a tool took so long. */
function calling(name: string, ...durations: readonly number[]): Session {
  const steps = durations.map((duration) => ({ ...ok(name), startedAt: at(0), endedAt: at(duration) }));
  return session([{ user: 'Go.', steps, agent: 'Gone.' }]);
}

/** A session of turns whose one model call used so much. */
function using(...usages: readonly (Partial<TokenUsage> | null)[]): Session {
  return session(
    usages.map((usage) => ({
      user: 'Go on.',
      steps: [{ type: 'model', ...(usage && { usage: { inputTokens: 0, outputTokens: 0, ...usage } }) }],
      agent: 'Here you are.',
    })),
  );
}

describe('latency-outlier', () => {
  it('compares the duration of a turn with the usual one', () => {
    const slow = lasting(...USUAL, 94_000);
    expect(findingMessages(slow, SLOW)).toEqual(['This turn took 94 s, 12 times the median of its session (7.8 s).']);
    expect(evidencePointers(slow, SLOW)).toEqual(['/turns/8']);
    expect(collectFindings(slow, { settings: SLOW })).toMatchObject([{ severity: 'info', turn: 8, label: null }]);
  });

  it('compares the duration of a call with the others of its tool', () => {
    const slow = calling('search', 300, 310, 320, 320, 330, 340, 350, 240_000);
    expect(findingMessages(slow, SLOW)).toEqual([
      '`search` took 4 min, 738 times the median of its calls in this session (325 ms).',
    ]);
    expect(evidencePointers(slow, SLOW)).toEqual(['/turns/0/steps/7']);
  });

  it.each([
    [6300, 1000, 'This turn took 6.3 s, 6.3 times the median of its session (1 s).'],
    [130_000, 100, 'This turn took 2.2 min, 1,300 times the median of its session (100 ms).'],
    [10_800_000, 60_000, 'This turn took 3 h, 180 times the median of its session (60 s).'],
  ])('describes %d ms against %d ms', (slow, usual, sentence) => {
    expect(findingMessages(lasting(...Array.from({ length: 8 }, () => usual), slow), SLOW)).toEqual([sentence]);
  });

  it.each([
    ['too few turns', lasting(...USUAL.slice(0, 6), 94_000)],
    ['turns of unknown time', lasting(...USUAL.slice(0, 6), null, null, null, 94_000)],
    ['less than five seconds', lasting(...USUAL.map((duration) => duration / 100), 4900)],
    ['four times the median', lasting(...USUAL, 31_000)],
    ['times that spread as widely', lasting(100, 200, 500, 1000, 9000, 9000, 20_000, 30_000, 40_000, 60_000)],
    ['two kinds of turns', lasting(...USUAL, ...USUAL, 94_000, 95_000)],
    ['an end before the beginning', lasting(...USUAL.slice(2), -94_000, 94_000)],
  ])('does not report %s', (_, of) => {
    expect(findingIds(of, SLOW)).toEqual([]);
  });

  it('does not compare different tools', () => {
    const [quick] = calling('read', 10, 10, 10, 10, 10, 10, 10, 10).turns;
    const [tests] = calling('run_tests', 94_000).turns;
    if (!quick || !tests) throw new Error('A turn is missing.');
    const parsed = session([]);
    expect(findingIds({ ...parsed, turns: [{ ...quick, steps: [...quick.steps, ...tests.steps] }] }, SLOW)).toEqual([]);
  });

  it('has options for the ratio, the seconds and the observations', () => {
    const settings = { ...SLOW, 'latency-outlier': { ratio: 2, seconds: 1, observations: 3 } };
    expect(findingIds(lasting(1000, 1000, 2000), settings)).toEqual(['latency-outlier@2']);
    expect(findingIds(lasting(1000, 1000, 2000), SLOW)).toEqual([]);
  });

  it.skipIf(!sessionsOf('google-adk'))('reports the one slow turn of a shopping session (shared data)', async () => {
    const sessions = (await sessionsOf('google-adk')?.()) ?? [];
    expect(sessions.flatMap((session) => findingMessages(session, SLOW))).toEqual([
      'This turn took 8.3 s, 6.3 times the median of its session (1.3 s).',
    ]);
  });
});

describe('token-outlier', () => {
  const usual = Array.from({ length: 8 }, (_, turn) => ({ inputTokens: 3000 + turn * 100, outputTokens: 50 }));

  it('compares the tokens of a turn with the usual number, all kinds together', () => {
    const usage = {
      inputTokens: 80_000,
      outputTokens: 1000,
      reasoningTokens: 500,
      toolPromptTokens: 500,
      cachedTokens: 9,
    };
    const large = using(...usual, usage);
    expect(findingMessages(large, LARGE)).toEqual([
      'This turn used 82,000 tokens, 24 times the median of its session (3,450).',
    ]);
    expect(evidencePointers(large, LARGE)).toEqual(['/turns/8']);
    expect(collectFindings(large, { settings: LARGE })).toMatchObject([{ severity: 'info', turn: 8 }]);
  });

  it('includes the model calls of sub-agents', () => {
    const [inner] = using({ inputTokens: 80_000 }).turns;
    const plain = using(...usual, { inputTokens: 3000 });
    const turns = plain.turns.map((turn, index) =>
      inner && index === 8
        ? { ...turn, steps: [...turn.steps, { type: 'agent' as const, pointer: '/a', name: 'helper', turns: [inner] }] }
        : turn,
    );
    expect(findingIds({ ...plain, turns }, LARGE)).toEqual(['token-outlier@8']);
  });

  it.each([
    ['too few turns', using(...usual.slice(0, 6), { inputTokens: 80_000 })],
    ['less than 2,000 tokens', using(...Array.from({ length: 8 }, () => ({ inputTokens: 10 })), { inputTokens: 1900 })],
    ['a conversation that grows', using(...Array.from({ length: 100 }, (_, n) => ({ inputTokens: 1000 * (n + 1) })))],
    ['model calls that do not say', using(null, null, null, null, null, null, null, null, { inputTokens: 80_000 })],
  ])('does not report %s', (_, of) => {
    expect(findingIds(of, LARGE)).toEqual([]);
  });

  it('ignores a turn with incomplete token counts', () => {
    const plain = using(...usual, { inputTokens: 80_000 });
    const turns = plain.turns.map((turn, index) =>
      index === 8 ? { ...turn, steps: [...turn.steps, { type: 'model' as const, pointer: '/m' }] } : turn,
    );
    expect(findingIds({ ...plain, turns }, LARGE)).toEqual([]);
  });
});

describe('findOutliers', () => {
  const options = { ratio: 5, observations: 8 };
  const amounts = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { maxLength: 60 });

  it('does not depend on the order', () => {
    fc.assert(
      fc.property(amounts, fc.infiniteStream(fc.nat()), (of, keys) => {
        const observed = of.map((amount, index) => ({ item: index, amount }));
        const shuffled = observed
          .map((item) => [keys.next().value ?? 0, item] as const)
          .toSorted(([a], [b]) => a - b)
          .map(([, item]) => item);
        const named = (list: typeof observed) => findOutliers(list, options, 0).map((outlier) => outlier.item);
        expect(named(shuffled).toSorted()).toEqual(named(observed).toSorted());
      }),
    );
  });

  it('returns few amounts, far above the median', () => {
    fc.assert(
      fc.property(amounts, (of) => {
        const outliers = findOutliers(
          of.map((amount) => ({ item: amount, amount })),
          options,
          0,
        );
        expect(outliers.length).toBeLessThanOrEqual(Math.max(1, of.length / 20));
        for (const { amount, median } of outliers) expect(amount).toBeGreaterThanOrEqual(5 * median);
      }),
    );
  });
});
