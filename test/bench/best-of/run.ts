/**
 * `npm run bench:best-of`: how often a tournament calls an agent the best that is no better, and whether it finds one that is.
 * Outcomes are those of labelled sessions; the judge is a stub that sees them with errors. Writes the figures into
 * `docs/comparison.md`. Exits with 2 where the labelled data is not there.
 */
import { join } from 'node:path';
import type { RecordedSession } from '../../../src/core/run-record.ts';
import { TOURNAMENTS } from '../../../src/core/statuses.ts';
import { type Game, type PairChoice, playTournament, type Tournament } from '../../../src/runs/best-of/tournament.ts';
import { wilsonInterval } from '../../../src/stats/intervals.ts';
import { seeded } from '../../../src/stats/random.ts';
import { replaceSection } from '../compare/document-section.ts';
import { type LabelledRows, labelledRows } from '../compare/labelled-rows.ts';
import { percent, percentRange, table } from '../validity/markdown.ts';

const REPETITIONS = 200;
const TASKS = 60;
const AGENTS = 4;

/** How a judge errs: how often it prefers the session that succeeded, and otherwise the one that is shown first. */
interface Errors {
  readonly right: number;
  readonly first: number;
}

const JUDGES: readonly (readonly [string, Errors])[] = [
  ['right in 9 of 10', { right: 0.9, first: 0.5 }],
  ['right in 7 of 10, else 8 of 10 times the first', { right: 0.7, first: 0.8 }],
];

/** By how many points the last agent succeeds more often than the others. */
const LEADS: readonly number[] = [0, 20, 30];

const data = await labelledRows();
if (data) {
  const text = [introduction(data), ...(await Promise.all(TOURNAMENTS.map((one) => tournamentText(data, one))))].join(
    '\n\n',
  );
  await replaceSection(join(import.meta.dirname, '../../../docs/comparison.md'), 'best-of', text);
  console.log(text);
} else {
  console.log('The labelled data is not here (../shared/data), so nothing was measured and the page is as it was.');
  process.exitCode = 2;
}

function introduction({ sessions, cells }: LabelledRows): string {
  return `${REPETITIONS} tournaments each of ${AGENTS} agents over ${TASKS} tasks. The outcomes of every agent are drawn from the same ${cells.length} groups of ${sessions} labelled sessions; of the last agent, failures become successes until it leads by so many points. A stub answers as the judge: where one of two sessions succeeded, it chooses it as often as the first column says, and otherwise, or where both ended the same, by position.`;
}

async function tournamentText(rows: LabelledRows, tournament: Tournament): Promise<string> {
  const body: string[][] = [];
  for (const [name, errors] of JUDGES) {
    const shares: string[] = [];
    for (const points of LEADS) shares.push(await clearText(rows, tournament, errors, points));
    body.push([name, ...shares]);
  }
  const heads = LEADS.map((points) => (points === 0 ? 'equal agents: one is called best' : `leads by ${points}`));
  return [`\`${tournament}\`:`, '', table(['judge', ...heads], ...body)].join('\n');
}

/** How many tournaments call an agent best beyond chance: where agents are equal, any agent; else the one made better. */
async function clearText(rows: LabelledRows, tournament: Tournament, errors: Errors, points: number): Promise<string> {
  const random = seeded(41);
  let clear = 0;
  for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
    const outcomes = drawOutcomes(rows, points, random);
    const { best, isClear } = await playTournament(AGENTS, tournament, async (first, second) =>
      outcomes.map((agents, task) => play([first, second], agents, task, errors, random)),
    );
    if (isClear && (points === 0 || best === AGENTS - 1)) clear += 1;
  }
  const share = percent(clear / REPETITIONS, 1);
  return points === 0 ? `${share} (${percentRange(wilsonInterval(clear, REPETITIONS))})` : share;
}

/** By task: whether each agent succeeded. */
function drawOutcomes({ cells }: LabelledRows, points: number, random: () => number): boolean[][] {
  const sessions = cells.flat();
  const failed = sessions.filter((row) => !succeeded(row)).length / sessions.length;
  return Array.from({ length: TASKS }, () => {
    const start = sessions[Math.floor(random() * sessions.length)];
    const cell = cells.find((one) => start !== undefined && one.includes(start)) ?? [];
    return Array.from({ length: AGENTS }, (_, agent) => {
      const row = cell[Math.floor(random() * cell.length)];
      const isRaised = agent === AGENTS - 1 && random() < points / 100 / failed;
      return (row !== undefined && succeeded(row)) || isRaised;
    });
  });
}

function succeeded({ correct }: RecordedSession): boolean {
  return correct === true;
}

function play(
  runs: readonly [number, number],
  agents: readonly boolean[],
  task: number,
  { right, first }: Errors,
  random: () => number,
): Game {
  const choose = (shown: readonly [number, number]): PairChoice => {
    const better = shown.filter((run) => agents[run]);
    if (better.length === 1 && random() < right) return better[0] ?? 'tie';
    return random() < first ? shown[0] : shown[1];
  };
  const [a, b] = runs;
  return {
    task: String(task),
    sessions: [String(a), String(b)],
    choices: [choose([a, b]), choose([b, a])],
    reasons: ['', ''],
  };
}
