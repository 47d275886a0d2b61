import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isObject } from '../../src/core/json.ts';
import { minimalValue } from '../support/minimal-value.ts';
import { answer, delayedReply, type Script, startStubModels } from '../support/stub-models.ts';
import type { JudgedRunFigures, JudgedRunOptions } from './ask.ts';

const TURNS = 200;
const CONCURRENCY = 20;
const LATENCY_MS = 50;

/** So many at once where memory is measured. */
const DEFAULT_CONCURRENCY = 8;

type VariantOptions = Partial<Omit<JudgedRunOptions, 'baseUrl'>>;
type Runner = (own: VariantOptions, flags?: readonly string[]) => Promise<JudgedRunFigures>;

const VARIANTS: readonly (readonly [name: string, own: VariantOptions])[] = [
  ['packed', {}],
  ['one question per call', { questionsPerCall: 1 }],
];

/**
 * Prints what asking costs, against a server on this machine that takes 50 ms for each answer. The server is in this
 * process and what asks in one of its own, so that nobody's CPU counts for the other's. Of all times the least: other work
 * of the machine only adds.
 */
export async function printJudgeTimes(runs: number): Promise<void> {
  await using stub = await startStubModels(LATE);
  const home = mkdtempSync(join(tmpdir(), 'turnwise-bench-asking-'));
  let homes = 0;
  const ask: Runner = (own, flags = []) =>
    figures(
      { baseUrl: stub.openai, home: join(home, String(homes++)), turns: TURNS, concurrency: CONCURRENCY, ...own },
      flags,
    );
  try {
    for (const [name, own] of VARIANTS) await printVariant(name, own, runs, ask);
    await printMemory(ask);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function printVariant(name: string, own: VariantOptions, runs: number, ask: Runner): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-bench-again-'));
  try {
    const first = await leastOf(runs, () => ask(own));
    const { calls, longestPrompt } = first;
    const ideal = Math.ceil(calls / CONCURRENCY) * LATENCY_MS;
    print(`${name}: ${calls} calls about ${TURNS} turns, ${CONCURRENCY} at once, ${LATENCY_MS} ms each`);
    row(
      'wall time (aim: 1.15 × ideal)',
      ms(first.milliseconds),
      `${(first.milliseconds / ideal).toFixed(2)} × ${ideal} ms`,
    );
    row('  of it, without a model', ms(first.withoutModel));
    row('CPU per call (aim: 1 ms)', `${(first.cpuMilliseconds / calls).toFixed(2)} ms`);
    row('  on all threads', `${(first.cpuOfAllThreads / calls).toFixed(2)} ms`);
    row('peak memory', `${first.peakMegabytes.toFixed(0)} MB`);

    const twice = await ask({ ...own, turns: 2 * TURNS });
    const growth = (twice.characters / first.characters).toFixed(2);
    row('characters per prompt', Math.round(first.characters / calls).toLocaleString('en-US'));
    row('  of the longest', longestPrompt.toLocaleString('en-US'));
    row(`  of all, ${2 * TURNS} turns (aim: 2.2 ×)`, `${growth} ×`);

    await ask({ ...own, home });
    const again = await leastOf(runs, () => ask({ ...own, home }));
    row(`once more: ${again.calls} calls (aim: 0)`, ms(again.milliseconds));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function printMemory(ask: Runner): Promise<void> {
  print(`what is held at once, ${DEFAULT_CONCURRENCY} calls under way`);
  for (const turns of [TURNS, 2 * TURNS]) {
    const { held, characters } = await ask({ turns, concurrency: DEFAULT_CONCURRENCY }, ['--expose-gc']);
    if (!held) continue;
    // Text with letters of other scripts takes two bytes a character.
    const all = (characters * 2) / 2 ** 20;
    row(
      `${turns} turns, with ${all.toFixed(1)} MB of prompts`,
      `${held.atMost.toFixed(1)} MB`,
      `${held.byReport.toFixed(1)} MB by the report`,
    );
  }
}

/** Facts differ from turn to turn: what is asked about the same ones is asked once. */
const LATE: Script = ({ schema, number }) => {
  const least = minimalValue(schema);
  const values = isObject(least) ? least : {};
  const { task } = values;
  return delayedReply(
    LATENCY_MS,
    answer(isObject(task) ? { ...values, task: { ...task, task: `Request ${number}` } } : values),
  );
};

async function figures(asking: JudgedRunOptions, flags: readonly string[]): Promise<JudgedRunFigures> {
  const file = join(import.meta.dirname, 'ask.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, file, JSON.stringify(asking)]);
  return JSON.parse(stdout);
}

async function leastOf(runs: number, act: () => Promise<JudgedRunFigures>): Promise<JudgedRunFigures> {
  const all: JudgedRunFigures[] = [];
  for (let run = 0; run < runs; run += 1) all.push(await act());
  const least = (key: 'milliseconds' | 'withoutModel' | 'cpuMilliseconds' | 'cpuOfAllThreads' | 'peakMegabytes') =>
    Math.min(...all.map((figures) => figures[key]));
  const [first] = all;
  if (!first) throw new Error('Nothing was measured.');
  return {
    ...first,
    milliseconds: least('milliseconds'),
    withoutModel: least('withoutModel'),
    cpuMilliseconds: least('cpuMilliseconds'),
    cpuOfAllThreads: least('cpuOfAllThreads'),
    peakMegabytes: least('peakMegabytes'),
  };
}

function ms(milliseconds: number): string {
  return `${milliseconds.toFixed(0)} ms`;
}

function row(name: string, ...cells: readonly string[]): void {
  print(`  ${name.padEnd(32)}${cells.map((cell) => cell.padStart(24)).join('')}`);
}

function print(line: string): void {
  console.log(line);
}
