/**
 * `npm run bench`: what reading and evaluating files costs, against `JSON.parse` of the same file in a process of its own; what
 * the rules cost against reading, and how that grows with a session; what short sessions cost; what the command line adds to an
 * empty Node process; and what asking a model costs. `--mb 100`, `--runs 3`; `--only files`, `short`, `growth`, `cli`, `memory` or
 * `judge`; `--peers` installs another evaluation tool from npm and times it as well; `--write` replaces the figures in
 * `docs/benchmarks.md`, with the date, the commit and the load.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { circumstances } from './circumstances.ts';
import { replaceSection } from './compare/document-section.ts';
import { writeArray, writeLines, writeLong, writeShort } from './generate.ts';
import { writeClaudeCode } from './generate-claude-code.ts';
import { writeOtlp, writeOtlpObject } from './generate-otlp.ts';
import { measureJudgeTimes } from './judge-times.ts';
import type { Figures } from './measure.ts';
import { installPromptfoo } from './peers.ts';
import { measureGrowth } from './rule-growth.ts';
import { largest } from './rule-times.ts';
import { measureSessionMemory } from './session-memory.ts';
import { table } from './validity/markdown.ts';

const { values } = parseArgs({
  options: {
    mb: { type: 'string', default: '100' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string' },
    peers: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const bytes = Number(values.mb) * 1e6;
const runs = Number(values.runs);
const ROOT = join(import.meta.dirname, '..', '..');
const CLI = join(ROOT, 'dist', 'cli.js');
const folder = mkdtempSync(join(tmpdir(), 'turnwise-bench-'));

const SECTIONS: Readonly<Record<string, () => string | Promise<string>>> = {
  files: measureFiles,
  growth: measureGrowth,
  short: measureShortSessions,
  cli: measureCommandLine,
  memory: measureSessionMemory,
  judge: () => measureJudgeTimes(runs),
};

/** Their tables in the page compare versions. */
const WRITTEN_BY_HAND: ReadonlySet<string> = new Set(['memory']);

try {
  for (const [name, measure] of Object.entries(SECTIONS)) {
    if (values.only !== undefined && values.only !== name) continue;
    const text = `${circumstances()} before:\n\n${await measure()}`;
    print(`\n${text}`);
    if (values.write && !WRITTEN_BY_HAND.has(name))
      await replaceSection(join(ROOT, 'docs', 'benchmarks.md'), name, text);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function measureFiles(): string {
  const rows = [
    large('chat messages, fine-tuning lines', 'lines.jsonl', writeLines),
    large('chat messages, indented array', 'array.json', writeArray),
    large('chat messages, one session', 'long.json', writeLong),
    large('a log of Claude Code', 'claude.jsonl', writeClaudeCode),
    large('OTLP, an export per line', 'otlp.jsonl', writeOtlp),
    large('OTLP, one object', 'otlp.json', writeOtlpObject),
  ];
  const head = ['read', 'read + evaluate, no model', 'peak memory', 'lines of all turns', 'rules, against reading'];
  return table([`${values.mb} MB of`, 'turns', '`JSON.parse`', ...head], ...rows);
}

function large(name: string, file: string, write: (file: string, bytes: number) => void): string[] {
  const path = join(folder, file);
  write(path, bytes);
  const read = median('read', path);
  const parse = median('parse', path);
  const evaluate = median('evaluate', path);
  const locate = median('locate', path);
  const rules = median('rules', path);
  const slowest = largest(measured('each-rule', path).rules ?? {}, 5);
  rmSync(path);
  print(
    `${name}: ${rules.findings} findings; slowest: ${slowest.map(([rule, ms]) => `${rule} ${ms.toFixed(0)} ms`).join(', ')}`,
  );
  return [
    name,
    (locate.pointers ?? 0).toLocaleString('en-US'),
    seconds(parse),
    times(read, parse),
    `${times(evaluate, parse)} (${seconds(evaluate)})`,
    `${(evaluate.peakMegabytes / parse.peakMegabytes).toFixed(1)} × (${(evaluate.peakMegabytes / 1000).toFixed(1)} GB)`,
    times(locate, parse),
    times(rules, read),
  ];
}

/** Sessions of three turns without a long policy, as logs of products have them. */
function measureShortSessions(): string {
  const path = join(folder, 'short.jsonl');
  writeShort(path, bytes / 5);
  const parse = median('parse', path);
  const evaluate = median('evaluate', path);
  const { pointers = 0 } = measured('locate', path);
  const sessions = pointers / 3;
  const each = (figures: Figures) => `${(figures.milliseconds / sessions).toFixed(2)} ms`;
  const out = join(folder, 'short-report');
  const sizes = [
    ['`--format jsonl`', ['--format', 'jsonl', '--out', out]],
    ['`--report json --compact`', ['--report', `json=${out}`, '--compact', '--quiet']],
  ].map(([name, args]) => {
    run([CLI, 'eval', path, '--record', 'none', '--fail-on', 'never', ...(args ?? [])]);
    return [
      `${name}, bytes against the traces (aim: 4.5 ×)`,
      `${(statSync(out).size / statSync(path).size).toFixed(1)} ×`,
    ];
  });
  const size = `${(statSync(path).size / sessions / 1000).toFixed(1)} kB`;
  return table(
    [`${Math.round(sessions).toLocaleString('en-US')} sessions of 3 turns, ${size} each`, ''],
    ['`JSON.parse`, a session', each(parse)],
    ['read + evaluate, no model, a session (aim: 1 ms)', `${each(evaluate)}, ${times(evaluate, parse)}`],
    ['peak memory, all results in memory', `${evaluate.peakMegabytes.toFixed(0)} MB`],
    ...sizes,
  );
}

async function measureCommandLine(): Promise<string> {
  const file = join(folder, 'small.json');
  writeLong(file, 10_000);
  const peer = values.peers ? await installPromptfoo(folder) : null;
  const commands: [string, readonly string[]][] = [
    ['an empty Node process', ['-e', '']],
    ['`turnwise eval` (aim: 150 ms)', [CLI, 'eval', file, '--fail-on', 'never']],
    ['`turnwise eval --record none`', [CLI, 'eval', file, '--fail-on', 'never', '--record', 'none']],
    ...(peer ? [[peer.name, peer.args] satisfies [string, readonly string[]]] : []),
  ];
  const taken = commands.map((): number[] => []);
  // In turns, so that all meet the same noise.
  for (let turn = 0; turn < 15; turn += 1)
    for (const [index, [, args]] of commands.entries()) taken[index]?.push(run(args));
  const rows = commands.map(([name], index) => {
    const all = taken[index] ?? [];
    return [name, `${middle(all).toFixed(0)} ms`, `${Math.min(...all).toFixed(0)} ms`];
  });
  return table(['one file of 10 kB, from the command line', 'median of 15', 'least'], ...rows);
}

/** @returns its wall time, in milliseconds. */
function run(args: readonly string[]): number {
  const start = performance.now();
  // Runs are recorded as they are for users, and not in the data folder of this user.
  execFileSync(process.execPath, args, {
    stdio: 'ignore',
    cwd: folder,
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

function times({ milliseconds }: Figures, base: Figures): string {
  return `${(milliseconds / base.milliseconds).toFixed(1)} ×`;
}

function seconds({ milliseconds }: Figures): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function print(line: string): void {
  console.log(line);
}
