import type { TOURNAMENTS } from '../../core/statuses.ts';
import { adjustForFalseDiscovery } from '../../stats/benjamini-hochberg.ts';
import { signFlipTest } from '../../stats/sign-flip.ts';

export type Tournament = (typeof TOURNAMENTS)[number];

/** What a judge chose of a pair of sessions: one of their runs, or a tie. */
export type PairChoice = number | 'tie';

/** A pair of sessions of one task, judged in both orders. */
export interface Game {
  readonly task: string | null;
  /** The ids, in the order of the match's runs. */
  readonly sessions: readonly [string, string];
  /** With the first run's session shown first, and shown second; null where there was no answer. */
  readonly choices: readonly [PairChoice | null, PairChoice | null];
  readonly reasons: readonly [string, string];
}

/** Two runs against each other. */
export interface MatchGames {
  /** Positions of the runs. */
  readonly runs: readonly [number, number];
  readonly games: readonly Game[];
}

export interface Match extends MatchGames {
  /** Games that each run won in both orders. */
  readonly wins: readonly [number, number];
  /** Games that neither won: ties, and those where the orders disagree. */
  readonly ties: number;
  /** Games without an answer in one of the orders; they count for nothing else. */
  readonly unanswered: number;
  /** Answered games in which both orders chose the same, of all; the others by the position that was chosen in both. */
  readonly orders: { readonly agree: number; readonly of: number; readonly first: number; readonly second: number };
  /** Of the permutation test over tasks; adjusted to all matches of the tournament. */
  readonly p: number;
  /** The run that won more games; null where both won as many. */
  readonly winner: number | null;
}

export interface Standing {
  readonly run: number;
  readonly wins: number;
  readonly ties: number;
  readonly losses: number;
  /** Share of its games that it won, ties counting half; null without games. */
  readonly share: number | null;
}

export interface TournamentResult {
  readonly matches: readonly Match[];
  /** The best first. */
  readonly standings: readonly Standing[];
  /** The run that came first; null where two came first, or nothing was answered. */
  readonly best: number | null;
  /** Whether every match of the best is a win beyond chance. */
  readonly isClear: boolean;
}

const SIGNIFICANT = 0.05;

/** Plays a tournament between runs. @param play judges all games of two runs, given by position. */
export async function playTournament(
  runs: number,
  tournament: Tournament,
  play: (first: number, second: number) => Promise<readonly Game[]>,
): Promise<TournamentResult> {
  const played: MatchGames[] = [];
  const meet = async (first: number, second: number) => {
    const match: MatchGames = { runs: [first, second], games: await play(first, second) };
    played.push(match);
    return match;
  };
  let champion = 0;
  for (let challenger = 1; challenger < runs; challenger += 1) {
    if (tournament === 'king-of-the-hill') champion = winnerOf(await meet(champion, challenger)) ?? champion;
    else for (let other = 0; other < challenger; other += 1) await meet(other, challenger);
  }
  const ps = adjustForFalseDiscovery(played.map(matchP));
  const matches = played.map((match, index) => scoreMatch(match, ps[index] ?? 1));
  const standings = rank(runs, matches, tournament === 'king-of-the-hill' ? champion : null);
  const [first, next] = standings;
  const isAlone = tournament === 'king-of-the-hill' || first?.share !== next?.share;
  const best = first && first.share !== null && isAlone ? first.run : null;
  const own = matches.filter(({ runs: [a, b] }) => a === best || b === best);
  return { matches, standings, best, isClear: own.length > 0 && own.every((match) => isClearWin(match, best)) };
}

function isClearWin({ winner, p }: Match, run: number | null): boolean {
  return winner === run && p < SIGNIFICANT;
}

/** The run that both orders chose; tie where they disagree, null without an answer. */
export function gameResult({ choices: [forward, backward] }: Game): PairChoice | null {
  if (forward === null || backward === null) return null;
  return forward === backward ? forward : 'tie';
}

function countWins({ runs, games }: MatchGames): readonly [number, number] {
  const results = games.map(gameResult);
  return [results.filter((result) => result === runs[0]).length, results.filter((result) => result === runs[1]).length];
}

function winnerOf(match: MatchGames): number | null {
  const [first, second] = countWins(match);
  return first === second ? null : match.runs[first > second ? 0 : 1];
}

/** Several games of one task depend on each other: what is permuted are the tasks. */
function matchP({ runs, games }: MatchGames): number {
  const answered = games.filter((game) => gameResult(game) !== null);
  const byTask = Map.groupBy(answered, ({ task, sessions }) => (task === null ? sessions.join('\n') : `task ${task}`));
  const differences = Array.from(byTask.values(), (own) => {
    const points = own.map((game) => {
      const result = gameResult(game);
      return result === 'tie' ? 0 : result === runs[1] ? 1 : -1;
    });
    return points.reduce<number>((sum, point) => sum + point, 0) / points.length;
  });
  return signFlipTest(differences);
}

function scoreMatch(match: MatchGames, p: number): Match {
  const { runs, games } = match;
  const wins = countWins(match);
  const answered = games.filter((game) => gameResult(game) !== null);
  const agree = answered.filter(({ choices: [forward, backward] }) => forward === backward).length;
  const chose = (first: number, second: number) =>
    answered.filter(({ choices: [forward, backward] }) => forward === first && backward === second).length;
  return {
    ...match,
    wins,
    ties: answered.length - wins[0] - wins[1],
    unanswered: games.length - answered.length,
    orders: { agree, of: answered.length, first: chose(runs[0], runs[1]), second: chose(runs[1], runs[0]) },
    p,
    winner: winnerOf(match),
  };
}

/** @param champion comes first whatever its share is: the others did not meet the same runs. */
function rank(runs: number, matches: readonly Match[], champion: number | null): Standing[] {
  const standings = Array.from({ length: runs }, (_, run): Standing => {
    let [wins, ties, losses] = [0, 0, 0];
    for (const match of matches) {
      const side = match.runs.indexOf(run);
      if (side < 0) continue;
      wins += match.wins[side] ?? 0;
      losses += match.wins[1 - side] ?? 0;
      ties += match.ties;
    }
    const games = wins + ties + losses;
    return { run, wins, ties, losses, share: games === 0 ? null : (wins + ties / 2) / games };
  });
  return standings.sort(
    (a, b) => Number(b.run === champion) - Number(a.run === champion) || (b.share ?? -1) - (a.share ?? -1),
  );
}
