import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isObject, type JsonObject } from '../../src/core/json.ts';
import { minimalValue } from '../support/minimal-value.ts';
import { pinShownIds } from '../support/shown-ids.ts';
import {
  answer,
  delayedReply,
  type Script,
  type StubModels,
  type StubRequest,
  startStubModels,
} from '../support/stub-models.ts';
import type { JudgedRunFigures, JudgedRunOptions } from './ask.ts';
import type { BareClientFigures, BareClientOptions } from './bare-client.ts';
import { table } from './validity/markdown.ts';

const TURNS = 200;
const CONCURRENCY = 20;
const LATENCY_MS = 50;

/** So many at once where memory is measured. */
const DEFAULT_CONCURRENCY = 8;

type VariantOptions = Partial<Omit<JudgedRunOptions, 'baseUrl'>>;
type Runner = (own: VariantOptions, flags?: readonly string[]) => Promise<JudgedRunFigures>;

const VARIANTS: readonly (readonly [name: string, own: VariantOptions])[] = [
  ['packed', {}],
  ['packed, two turns per call', { turnsPerCall: 2 }],
  ['one question per call', { questionsPerCall: 1 }],
];

/**
 * Measures what asking costs, against a server on this machine that takes 50 ms for each answer. The server is in this
 * process and what asks in one of its own, so that nobody's CPU counts for the other's. Of all times the least: other work
 * of the machine only adds.
 *
 * @returns a table.
 */
export async function measureJudgeTimes(runs: number): Promise<string> {
  await using stub = await startStubModels(LATE);
  const home = mkdtempSync(join(tmpdir(), 'turnwise-bench-asking-'));
  let homes = 0;
  const ask: Runner = (own, flags = []) =>
    figures(
      { baseUrl: stub.openai, home: join(home, String(homes++)), turns: TURNS, concurrency: CONCURRENCY, ...own },
      flags,
    );
  try {
    const columns: string[][] = [];
    for (const [, own] of VARIANTS) columns.push(await measureVariant(own, runs, ask, stub, home));
    const rows = ROWS.map((name, row) => [name, ...columns.map((column) => column[row] ?? '')]);
    const judged = table(['', ...VARIANTS.map(([name]) => name)], ...rows);
    return `${judged}\n\n${await measureMemory(ask)}`;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** What Agentest sends about the same turns, schemas counted, in characters. */
const CHARACTERS_OF_AGENTEST = 58.7e6;

const ROWS = [
  'calls',
  `wall time, against calls / ${CONCURRENCY} × ${LATENCY_MS} ms (aim: 1.15)`,
  'of it, without a model',
  'of a client that only sends the same bodies',
  'CPU per call, sending thread (aim: 0.8 ms)',
  'of a client that only sends the same bodies',
  'CPU per call, all threads',
  'peak memory',
  'characters per prompt, mean and longest',
  'characters of all prompts, and with schemas',
  'fewer than Agentest sends, with schemas (aim: 15 ×)',
  'prefix shared with the call before (aim: 75 %)',
  `characters, ${2 * TURNS} turns against ${TURNS} (aim: 2.2 ×)`,
  'a second run: calls, time',
] as const;

/** @returns a cell for each row. */
async function measureVariant(
  own: VariantOptions,
  runs: number,
  ask: Runner,
  { requests, openai }: StubModels,
  folder: string,
): Promise<string[]> {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-bench-again-'));
  try {
    const before = requests.length;
    const first = await leastOf(runs, () => ask(own));
    const { calls, longestPrompt, characters } = first;
    const ofFirst = requests.slice(before, before + calls);
    const sent = ofFirst.map(sentText);
    const bodies = join(folder, 'bodies.json');
    writeFileSync(bodies, JSON.stringify(ofFirst.map(({ body }) => body)));
    const bare = await leastOf(runs, () => runBareClient({ baseUrl: openai, bodies, concurrency: CONCURRENCY }));
    const withSchemas = sum(sent, length);
    const ideal = Math.ceil(calls / CONCURRENCY) * LATENCY_MS;
    const twice = await ask({ ...own, turns: 2 * TURNS });
    await ask({ ...own, home });
    const again = await leastOf(runs, () => ask({ ...own, home }));
    const count = (number: number) => Math.round(number).toLocaleString('en-US');
    return [
      count(calls),
      `${(first.milliseconds / ideal).toFixed(2)} × (${ms(first.milliseconds)})`,
      ms(first.withoutModel),
      `${(bare.milliseconds / ideal).toFixed(2)} × (${ms(bare.milliseconds)})`,
      `${(first.cpuMilliseconds / calls).toFixed(2)} ms`,
      `${(bare.cpuMilliseconds / calls).toFixed(2)} ms`,
      `${(first.cpuOfAllThreads / calls).toFixed(2)} ms`,
      `${first.peakMegabytes.toFixed(0)} MB`,
      `${count(characters / calls)}, ${count(longestPrompt)}`,
      `${(characters / 1e6).toFixed(2)} M, ${(withSchemas / 1e6).toFixed(2)} M`,
      `${(CHARACTERS_OF_AGENTEST / withSchemas).toFixed(1)} ×`,
      `${(100 * sharedPrefix(sent)).toFixed(0)} %`,
      `${(twice.characters / characters).toFixed(2)} ×`,
      `${again.calls}, ${ms(again.milliseconds)}`,
    ];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** What a server reads, in its order: OpenAI's puts the schema before the messages. */
function sentText({ schema, messages }: StubRequest): string {
  return [JSON.stringify(schema), ...messages.map(({ content }) => content)].join('\n');
}

/** The share of all characters that a server has just read in the same places of the call before. */
function sharedPrefix(texts: readonly string[]): number {
  const shared = texts.slice(1).map((text, index) => {
    const previous = texts[index] ?? '';
    let end = 0;
    while (end < text.length && text.charCodeAt(end) === previous.charCodeAt(end)) end += 1;
    return end;
  });
  return sum(shared, (count) => count) / sum(texts.slice(1), length);
}

const length = (text: string) => text.length;

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}

async function measureMemory(ask: Runner): Promise<string> {
  const rows: string[][] = [];
  for (const turns of [TURNS, 2 * TURNS]) {
    const { held, characters } = await ask({ turns, concurrency: DEFAULT_CONCURRENCY }, ['--expose-gc']);
    if (!held) continue;
    // Text with letters of other scripts takes two bytes a character.
    const all = (characters * 2) / 2 ** 20;
    rows.push([
      `${turns} turns, with ${all.toFixed(1)} MB of prompts`,
      `${held.atMost.toFixed(1)} MB`,
      `${held.byReport.toFixed(1)} MB`,
    ]);
  }
  return table([`in memory at once, ${DEFAULT_CONCURRENCY} calls under way`, 'at most', 'by the report'], ...rows);
}

/** Facts differ from turn to turn: what is asked about the same ones is asked once. */
const LATE: Script = ({ prompt, schema, number }) =>
  delayedReply(LATENCY_MS, answer(withOwnTask(minimalValue(pinShownIds(schema ?? {}, prompt)), `Request ${number}`)));

function withOwnTask(value: unknown, task: string): JsonObject {
  if (!isObject(value)) return {};
  const { first, second, task: stated } = value;
  if (isObject(first)) return { first: withOwnTask(first, `${task}, first`), second: withOwnTask(second, task) };
  return isObject(stated) ? { ...value, task: { ...stated, task } } : value;
}

function figures(asking: JudgedRunOptions, flags: readonly string[]): Promise<JudgedRunFigures> {
  return runScript('ask.ts', asking, flags);
}

function runBareClient(options: BareClientOptions): Promise<BareClientFigures> {
  return runScript('bare-client.ts', options);
}

async function runScript<Figures>(name: string, options: object, flags: readonly string[] = []): Promise<Figures> {
  const file = join(import.meta.dirname, name);
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, file, JSON.stringify(options)]);
  return JSON.parse(stdout);
}

/** The least times and memory of several runs. Everything else is the same in all. */
async function leastOf<Figures extends object>(runs: number, act: () => Promise<Figures>): Promise<Figures> {
  const first = await act();
  const least: Figures = { ...first };
  for (let run = 1; run < runs; run += 1) {
    for (const [key, value] of Object.entries(await act())) {
      const known: unknown = Reflect.get(least, key);
      if (typeof value === 'number' && typeof known === 'number') Reflect.set(least, key, Math.min(known, value));
    }
  }
  return least;
}

function ms(milliseconds: number): string {
  return `${milliseconds.toFixed(0)} ms`;
}
