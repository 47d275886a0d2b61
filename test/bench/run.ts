/**
 * `npm run bench`: what reading and evaluating large files costs, against `JSON.parse` of the same file in a process of
 * its own; what the rules cost against reading, and how that grows with a session; and what the command line adds to an
 * empty Node process; and what asking a model costs. `--mb 100`, `--runs 3`, `--only rules`, `--only memory`,
 * `--only judge`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeArray, writeLines, writeLong } from './generate.ts';
import { writeClaudeCode } from './generate-claude-code.ts';
import { writeOtlp, writeOtlpObject } from './generate-otlp.ts';
import { printJudgeTimes } from './judge-times.ts';
import type { Figures } from './measure.ts';
import { printGrowth } from './rule-growth.ts';
import { largest } from './rule-times.ts';
import { printSessionMemory } from './session-memory.ts';

const { values } = parseArgs({
  options: {
    mb: { type: 'string', default: '100' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
});
const bytes = Number(values.mb) * 1e6;
const runs = Number(values.runs);

const folder = mkdtempSync(join(tmpdir(), 'turnwise-bench-'));
try {
  print(
    `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}; median of ${runs} runs`,
  );
  if (values.only === undefined || values.only === 'rules') files();
  if (values.only === undefined || values.only === 'memory') {
    print('\npeak memory by sessions (aim: at most 1.2 times that of 1,000)');
    printSessionMemory();
  }
  if (values.only === undefined || values.only === 'judge') {
    print('\nasking a model; of each time the least');
    await printJudgeTimes(runs);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function files(): void {
  large('fine-tuning lines', join(folder, 'lines.jsonl'), writeLines);
  large('indented array', join(folder, 'array.json'), writeArray);
  large('one long session', join(folder, 'long.json'), writeLong);
  large('Claude Code log', join(folder, 'claude.jsonl'), writeClaudeCode);
  large('OTLP export', join(folder, 'otlp.jsonl'), writeOtlp);
  large('OTLP export, one object', join(folder, 'otlp.json'), writeOtlpObject);
  print('\nrules on one session, and on one of twice the size (aim: ratio 2, which is linear)');
  printGrowth();
  if (values.only !== 'rules') commandLine(join(folder, 'small.json'));
}

function large(name: string, file: string, write: (file: string, bytes: number) => void): void {
  write(file, bytes);
  print(`\n${name}, ${values.mb} MB`);
  const read = median('read', file);
  if (values.only !== 'rules') {
    row('', 'time', 'ratio', 'peak memory', 'ratio');
    const parse = median('parse', file);
    const evaluate = median('evaluate', file);
    const locate = median('locate', file);
    row('JSON.parse', ...cells(parse, parse));
    row('read', ...cells(read, parse));
    row('read + evaluate (aim: 15, 2.5)', ...cells(evaluate, parse));
    row(`positions of ${locate.pointers} turns`, ...cells(locate, parse).slice(0, 2));
  }
  rules(file, read);
  rmSync(file);
}

/** The rules by themselves, against reading the same file. */
function rules(file: string, read: Figures): void {
  const all = median('rules', file);
  const each = measured('each-rule', file).rules ?? {};
  row('rules alone (aim: 1 × reading)', `${all.milliseconds.toFixed(0)} ms`, ofReading(all.milliseconds, read));
  print(`    ${all.findings} findings; reading took ${read.milliseconds.toFixed(0)} ms; the five slowest rules:`);
  for (const [name, time] of largest(each, 5)) row(`  ${name}`, `${time.toFixed(0)} ms`, ofReading(time, read));
}

function ofReading(milliseconds: number, read: Figures): string {
  return `${(milliseconds / read.milliseconds).toFixed(2)} × read`;
}

function commandLine(file: string): void {
  const cli = join(import.meta.dirname, '../../dist/cli.js');
  if (!existsSync(cli)) {
    print('\nNo dist/cli.js: run "npm run build" to measure the command line.');
    return;
  }
  writeLong(file, 10_000);
  const times = { empty: [] as number[], evaluate: [] as number[] };
  // In turns, so that both meet the same noise.
  for (let run = 0; run < 15; run += 1) {
    times.empty.push(timeOf(['-e', '']));
    times.evaluate.push(timeOf([cli, 'eval', file, '--fail-on', 'never']));
  }
  const empty = middle(times.empty);
  const evaluate = middle(times.evaluate);
  print('\none file of 10 kB, from the command line');
  row('empty Node process', `${empty.toFixed(0)} ms`);
  row('turnwise eval (aim: +150 ms)', `${evaluate.toFixed(0)} ms`, `+${(evaluate - empty).toFixed(0)} ms`);
}

function timeOf(args: readonly string[]): number {
  const start = performance.now();
  // Runs are recorded as they are for users, and not in the data folder of this user.
  execFileSync(process.execPath, args, {
    stdio: 'ignore',
    env: { ...process.env, TURNWISE_HOME: join(folder, 'home') },
  });
  return performance.now() - start;
}

function median(task: string, file: string): Figures {
  const all = Array.from({ length: runs }, () => measured(task, file));
  return {
    milliseconds: middle(all.map((figures) => figures.milliseconds)),
    peakMegabytes: middle(all.map((figures) => figures.peakMegabytes)),
    pointers: all[0]?.pointers,
    findings: all[0]?.findings,
  };
}

function measured(task: string, file: string): Figures {
  const output = execFileSync(process.execPath, [join(import.meta.dirname, 'measure.ts'), task, file]);
  return JSON.parse(output.toString());
}

function middle(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function cells(figures: Figures, base: Figures): string[] {
  return [
    `${figures.milliseconds.toFixed(0)} ms`,
    (figures.milliseconds / base.milliseconds).toFixed(2),
    `${figures.peakMegabytes.toFixed(0)} MB`,
    (figures.peakMegabytes / base.peakMegabytes).toFixed(2),
  ];
}

function row(name: string, ...cells: readonly string[]): void {
  print(`  ${name.padEnd(32)}${cells.map((cell) => cell.padStart(12)).join('')}`);
}

function print(line: string): void {
  console.log(line);
}
