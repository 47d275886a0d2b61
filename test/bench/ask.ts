/** Measures one judged run in its own process: `node ask.ts JSON` prints its figures as JSON. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type * as Turnwise from '../../src/index.ts';
import { sessionOf } from './generate-session.ts';

export interface JudgedRunOptions {
  /** Of the OpenAI-compatible server. */
  readonly baseUrl: string;
  /** The folder of the answer cache. */
  readonly home: string;
  readonly turns: number;
  readonly concurrency: number;
  readonly questionsPerCall?: number;
  readonly turnsPerCall?: 1 | 2;
}

export interface JudgedRunFigures {
  readonly calls: number;
  /** Of the whole run, and of one without a judge. */
  readonly milliseconds: number;
  readonly withoutModel: number;
  /** CPU time of the judge calls: on the main thread, and in the whole process. */
  readonly cpuMilliseconds: number;
  readonly cpuOfAllThreads: number;
  /** Lengths of all prompts together, and of the longest. */
  readonly characters: number;
  readonly longestPrompt: number;
  /** Of the whole process. */
  readonly peakMegabytes: number;
  /** Heap growth after garbage collection, in MB: the maximum after a call, and with the report only. Null without `--expose-gc`. */
  readonly held: { readonly atMost: number; readonly byReport: number } | null;
}

console.log(JSON.stringify(await measureRun(JSON.parse(process.argv[2] ?? ''))));

async function measureRun({ baseUrl, home, turns, ...limits }: JudgedRunOptions): Promise<JudgedRunFigures> {
  const built = join(import.meta.dirname, '../../dist/index.js');
  const { evaluate }: typeof Turnwise = await import(existsSync(built) ? built : '../../src/index.ts');
  const judge = { provider: 'openai', model: 'stub', baseUrl, ...limits } as const;
  const env = { TURNWISE_HOME: home };
  const session = withGoal(turns);

  // The first run compiles the rules; the first question loads the client and creates the cache.
  await evaluate([session]);
  const without = await measureTime(() => evaluate([session]));
  await evaluate([{ ...withGoal(1), id: 'another' }], { judge }, { env });

  const { gc } = globalThis;
  const heap = () => {
    gc?.();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  const before = heap();
  const prompts = { characters: 0, longest: 0, held: 0 };
  const onCall = ({ prompt: { system, parts } }: Turnwise.CallLog) => {
    const length = parts.reduce((sum, part) => sum + part.length, system.length);
    prompts.characters += length;
    prompts.longest = Math.max(prompts.longest, length);
    if (gc) prompts.held = Math.max(prompts.held, heap() - before);
  };
  const { value, ...run } = await measureTime(() => evaluate([session], { judge }, { env, onCall }));
  const memory = gc ? { atMost: prompts.held, byReport: heap() - before } : null;
  return {
    // Read after the heap was measured, so that the report is still in memory then.
    calls: value.run.usage.judgeCalls,
    milliseconds: run.milliseconds,
    withoutModel: without.milliseconds,
    cpuMilliseconds: run.thread - without.thread,
    cpuOfAllThreads: run.process - without.process,
    characters: prompts.characters,
    longestPrompt: prompts.longest,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
    held: memory,
  };
}

function withGoal(turns: number) {
  return { ...sessionOf(turns, 'ordinary'), goal: 'Get the refund of every order that was damaged.' };
}

/** Wall time and CPU time, in milliseconds. */
async function measureTime<T>(act: () => Promise<T>) {
  const started = performance.now();
  const thread = process.threadCpuUsage();
  const all = process.cpuUsage();
  const value = await act();
  const milliseconds = performance.now() - started;
  return { value, milliseconds, thread: sum(process.threadCpuUsage(thread)), process: sum(process.cpuUsage(all)) };
}

function sum({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}
