import type { Session } from '../../src/core/session.ts';
import { sessionOf, sessionOfText, VARIETIES } from './generate-session.ts';
import { largest, type RuleTimes, ruleTimes } from './rule-times.ts';
import { table } from './validity/markdown.ts';

const TURNS = 10_000;

/** What patterns that go back and forth get lost in. */
const PIECES = [
  ' ',
  '\n',
  'a',
  '1',
  '-',
  '.',
  '"',
  '<',
  '1,',
  '1.',
  '1-',
  'a@',
  'a.',
  'A ',
  'a-1 ',
  '$1 ',
  'not ',
  'a\n',
  '[a](',
  'eyJ',
  '00',
];
const LETTERS = 100_000;

/** Smaller times are noise. */
const LEAST_MS = 20;

/**
 * Prints how the time of the rules grows with a session: 2 for twice the session is linear, 4 is quadratic.
 *
 * @returns a table of the sessions.
 */
export function measureGrowth(): string {
  const count = (turns: number) => `${turns.toLocaleString('en-US')} turns`;
  const rows = VARIETIES.map((variety) => {
    const [once, twice] = grow((size) => sessionOf(size, variety), TURNS);
    report(`${count(TURNS)}, ${variety}`, once, twice);
    const [first, second] = [total(once), total(twice)];
    return [variety, `${first.toFixed(0)} ms`, `${second.toFixed(0)} ms`, (second / first).toFixed(2)];
  });
  const texts = PIECES.map((piece) => [piece, ...grow((size) => sessionOfText(piece, size), LETTERS)] as const);
  for (const [piece, once, twice] of texts) {
    if (total(twice) > LEAST_MS * 5) report(`texts of ${LETTERS / 1000} kB of ${JSON.stringify(piece)}`, once, twice);
  }
  const slowest = texts.toSorted(([, , a], [, , b]) => total(b) - total(a)).at(0);
  if (slowest) report(`the slowest text, ${JSON.stringify(slowest[0])}`, slowest[1], slowest[2]);
  return table(['all rules on one session', count(TURNS), count(2 * TURNS), 'ratio'], ...rows);
}

function grow(make: (size: number) => Session, size: number): [once: RuleTimes, twice: RuleTimes] {
  const [small, large] = [make(size), make(size * 2)];
  // The first run compiles.
  ruleTimes([small]);
  return [best(small), best(large)];
}

/** Of each rule the best of three, since the collector of garbage only adds. */
function best(session: Session): RuleTimes {
  const all = Array.from({ length: 3 }, () => ruleTimes([session], ownTime));
  return Object.fromEntries(
    Object.keys(all[0] ?? {}).map((name) => [name, Math.min(...all.map((times) => times[name] ?? 0))]),
  );
}

/** What this thread has computed: whatever else the machine does is left out. */
function ownTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function report(what: string, once: RuleTimes, twice: RuleTimes): void {
  const ratio = total(twice) / total(once);
  console.log(
    `  ${what.padEnd(44)}${total(once).toFixed(0).padStart(8)} ms${total(twice).toFixed(0).padStart(8)} ms${ratio.toFixed(2).padStart(8)}`,
  );
  const slowest = largest(twice, 5).filter(([, time]) => time >= 1);
  console.log(`    slowest: ${slowest.map(([name, time]) => `${name} ${time.toFixed(0)} ms`).join(', ')}`);
  const ratios = Object.fromEntries(
    Object.entries(twice)
      .filter(([, time]) => time >= LEAST_MS)
      .map(([name, time]) => [name, time / (once[name] ?? time)]),
  );
  const steepest = largest(ratios, 3).filter(([, growth]) => growth > 2.5);
  if (steepest.length > 0) {
    console.log(`    steep: ${steepest.map(([name, growth]) => `${name} × ${growth.toFixed(1)}`).join(', ')}`);
  }
}

function total(times: RuleTimes): number {
  return Object.values(times).reduce((sum, time) => sum + time, 0);
}
