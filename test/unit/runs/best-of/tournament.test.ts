import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Game, gameResult, type PairChoice, playTournament } from '../../../../src/runs/best-of/tournament.ts';

function game(task: string | null, forward: PairChoice | null, backward: PairChoice | null = forward): Game {
  return { task, sessions: [`${task}-a`, `${task}-b`], choices: [forward, backward], reasons: ['', ''] };
}

function games(count: number, choice: PairChoice | null): Game[] {
  return Array.from({ length: count }, (_, i) => game(`task ${i}`, choice));
}

/** The stronger run wins every game. */
function byStrength(strengths: readonly number[], played: string[] = []) {
  return async (first: number, second: number) => {
    played.push(`${first}-${second}`);
    const [a = 0, b = 0] = [strengths[first], strengths[second]];
    return games(8, a === b ? 'tie' : a > b ? first : second);
  };
}

describe('gameResult', () => {
  it('is a win only where both orders chose the same run', () => {
    expect(gameResult(game('t', 1))).toBe(1);
    expect(gameResult(game('t', 0, 1))).toBe('tie');
    expect(gameResult(game('t', 0, 'tie'))).toBe('tie');
    expect(gameResult(game('t', 0, null))).toBeNull();
  });
});

describe('playTournament', () => {
  it('lets each run in turn meet the best so far, as king of the hill', async () => {
    const played: string[] = [];
    const result = await playTournament(4, 'king-of-the-hill', byStrength([2, 1, 3, 3], played));
    expect(played).toEqual(['0-1', '0-2', '2-3']);
    expect(result.best).toBe(2);
    expect(result.standings[0]?.run).toBe(2);
    // It did not beat the last run, with which it tied.
    expect(result.isClear).toBe(false);
  });

  it('lets all pairs meet, and finds the clear winner', async () => {
    const played: string[] = [];
    const result = await playTournament(3, 'all-pairs', byStrength([1, 3, 2], played));
    expect(played).toEqual(['0-1', '0-2', '1-2']);
    expect(result.standings.map(({ run, share }) => [run, share])).toEqual([
      [1, 1],
      [2, 0.5],
      [0, 0],
    ]);
    expect(result).toMatchObject({ best: 1, isClear: true });
  });

  it('has no best run where two came first, or where nothing was answered', async () => {
    expect(await playTournament(2, 'all-pairs', byStrength([1, 1]))).toMatchObject({ best: null, isClear: false });
    expect((await playTournament(2, 'king-of-the-hill', async () => games(3, null))).best).toBeNull();
  });

  it('does not take five tasks for a clear win', async () => {
    const { best, isClear, matches } = await playTournament(2, 'king-of-the-hill', async () => games(5, 1));
    expect([best, isClear]).toEqual([1, false]);
    expect(matches[0]?.p).toBeCloseTo(2 / 32, 12);
  });

  it('takes several games of one task as one', async () => {
    const { matches } = await playTournament(2, 'all-pairs', async () =>
      Array.from({ length: 20 }, (_, i): Game => ({ ...game('t', 0), sessions: [`a${i}`, `b${i}`] })),
    );
    expect(matches[0]).toMatchObject({ wins: [20, 0], p: 1 });
  });

  it('counts how often both orders agree, and which position is preferred', async () => {
    const { matches } = await playTournament(2, 'all-pairs', async () => [
      game('a', 1),
      game('b', 'tie'),
      game('c', 0, 1),
      game('d', 0, 1),
      game('e', 1, 0),
      game('f', 1, 'tie'),
      game('g', 1, null),
    ]);
    expect(matches[0]).toMatchObject({
      wins: [0, 1],
      ties: 5,
      unanswered: 1,
      orders: { agree: 2, of: 6, first: 2, second: 1 },
      winner: 1,
    });
  });

  it('counts every game once on each side', async () => {
    const choice = fc.constantFrom<PairChoice | null>(0, 1, 'tie', null);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(choice, choice), { maxLength: 30 }), async (choices) => {
        const all = choices.map(([forward, backward], i) => game(`t${i}`, forward, backward));
        const { matches, standings } = await playTournament(2, 'all-pairs', async () => all);
        const [match] = matches;
        expect((match?.wins[0] ?? 0) + (match?.wins[1] ?? 0) + (match?.ties ?? 0) + (match?.unanswered ?? 0)).toBe(
          all.length,
        );
        const [one, other] = [0, 1].map((run) => standings.find((standing) => standing.run === run));
        expect([one?.wins, one?.losses, one?.ties]).toEqual([other?.losses, other?.wins, other?.ties]);
      }),
    );
  });
});
