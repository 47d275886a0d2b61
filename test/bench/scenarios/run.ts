/**
 * `npm run bench:scenarios`: times of `turnwise scenarios`, as whole processes, against an agent and a judge on this machine. Writes
 * the figures into `docs/benchmarks.md`. With `-- judged` or `-- many`, only these.
 */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sendMessage, startAgentServer } from '../../support/agent-server.ts';
import { delayedReply, startStubModels } from '../../support/stub-models.ts';
import { replaceSection } from '../compare/document-section.ts';
import { table } from '../validity/markdown.ts';

const CLI = join(import.meta.dirname, '../../../dist/cli.js');
const RUNS = 5;
const AGENT_MS = 5;
const JUDGE_MS = 50;
/** Of the judge: the default, and what the reference tool has by default. */
const JUDGE_CONCURRENCY = { default: 8, raised: 20 };
const JUDGED = { scenarios: 20, turns: 8 };
const MANY = 5000;
/** What Agentest measures by default. */
const METRICS = [
  'helpfulness',
  'coherence',
  'relevance',
  'faithfulness',
  'verbosity',
  'goal_completion',
  'agent_behavior_failure',
];

await using agent = await startAgentServer(async (response, body) => {
  await delay(AGENT_MS);
  const messages = body.messages as { readonly content: string }[];
  sendMessage(response, { role: 'assistant', content: `Answer to: ${messages.at(-1)?.content}` });
});

interface Measured {
  readonly seconds: number;
  readonly code: number | null;
  readonly stdout: string;
}

interface Project extends AsyncDisposable {
  run(
    args: readonly string[],
    interruptWhen?: () => Promise<unknown>,
  ): Promise<Measured & { readonly stopSeconds: number }>;
}

async function project(files: Readonly<Record<string, string>>): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'turnwise-bench-scenarios-'));
  const agents = { agent: { endpoint: agent.endpoint } };
  await mkdir(join(folder, 'scenarios'));
  await writeFile(join(folder, 'turnwise.config.json'), JSON.stringify({ simulation: { agents } }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'scenarios', name), text);
  const env = { ...process.env, TURNWISE_HOME: join(folder, 'home'), OPENAI_API_KEY: 'sk-bench' };
  return {
    async run(args, interruptWhen) {
      const started = performance.now();
      const child = spawn(process.execPath, [CLI, 'scenarios', 'scenarios', '--quiet', ...args], {
        cwd: folder,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let stdout = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
      });
      const closed = new Promise<number | null>((resolve) => {
        child.once('close', resolve);
      });
      let interrupted = started;
      if (interruptWhen) {
        await interruptWhen();
        interrupted = performance.now();
        child.kill('SIGINT');
      }
      const code = await closed;
      const ended = performance.now();
      return { seconds: (ended - started) / 1000, stopSeconds: (ended - interrupted) / 1000, code, stdout };
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Scenarios with names of their own. */
function scenarioFile(from: number, count: number, turns: number): string {
  const scenarios = Array.from({ length: count }, (_, index) => {
    const script = Array.from({ length: turns }, (_, turn) => ({
      userMessage: `Message ${turn + 1} of ${from + index}.`,
    }));
    return `scenario('scenario ${from + index}', ${JSON.stringify({ goal: 'every message is answered', turns: script })});`;
  });
  return `import { scenario } from 'turnwise';\n${scenarios.join('\n')}\n`;
}

function files(count: number, perFile: number, turns: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count / perFile }, (_, index) => [
      `${String(index).padStart(4, '0')}.sim.ts`,
      scenarioFile(index * perFile, perFile, turns),
    ]),
  );
}

function expectCode({ code }: Measured, expected: number): void {
  if (code !== expected) throw new Error(`turnwise ended with ${code}, not with ${expected}.`);
}

function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const [least = 0, middle = 0, most = 0] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  return `${middle.toFixed(2)} s (${least.toFixed(2)} to ${most.toFixed(2)})`;
}

async function measureJudged(): Promise<string> {
  await using stub = await startStubModels(() => delayedReply(JUDGE_MS));
  const { scenarios, turns } = JUDGED;
  await using one = await project(files(scenarios, scenarios, turns));
  const rows: string[][] = [];
  for (const concurrency of [JUDGE_CONCURRENCY.default, JUDGE_CONCURRENCY.raised]) {
    for (const metrics of [null, METRICS]) {
      const judge = ['--judge', 'openai:stub', '--judge-url', stub.openai, '--concurrency', String(concurrency)];
      const args = ['--run', '--format', 'json', '--no-cache', ...judge];
      const seconds: number[] = [];
      let calls = 0;
      for (let run = 0; run < RUNS; run += 1) {
        const before = stub.requests.length;
        const measured = await one.run([...args, ...(metrics ? ['--metrics', metrics.join(',')] : [])]);
        const { sessions } = JSON.parse(measured.stdout);
        if (sessions.length !== scenarios) throw new Error(`${sessions.length} sessions were evaluated.`);
        calls = stub.requests.length - before;
        seconds.push(measured.seconds);
      }
      const inWaves = (Math.ceil(calls / concurrency) * JUDGE_MS) / 1000;
      const name = metrics ? 'those of Agentest' : 'all';
      rows.push([name, String(concurrency), String(calls), `${inWaves.toFixed(2)} s`, spread(seconds)]);
    }
  }
  return table(
    ['metrics', 'calls at once', 'calls to the judge', 'waiting for the judge, at least', 'wall time'],
    ...rows,
  );
}

async function measureMany(perFile: number): Promise<string[]> {
  await using many = await project(files(MANY, perFile, 1));
  const list = await many.run(['--format', 'json']);
  expectCode(list, 0);
  const run = await many.run(['--run', '--format', 'json', '--compact', '--record', 'none']);
  expectCode(run, 0);
  const before = agent.requests.length;
  const stop = await many.run(['--run'], async () => {
    while (agent.requests.length < before + 100) await delay(1);
  });
  expectCode(stop, 130);
  const name = perFile === MANY ? 'one file' : `${MANY / perFile} files of ${perFile}`;
  return [name, ...[list.seconds, run.seconds, stop.stopSeconds].map((seconds) => `${seconds.toFixed(2)} s`)];
}

async function writeSection(name: string, lines: readonly string[]): Promise<void> {
  const text = lines.join('\n');
  await replaceSection(join(import.meta.dirname, '../../../docs/benchmarks.md'), name, text);
  console.log(text);
}

const only = process.argv[2];
if (only !== 'many') {
  await writeSection('scenarios-judged', [
    `${JUDGED.scenarios} scenarios of ${JUDGED.turns} scripted turns in one file, an agent over HTTP that takes ${AGENT_MS} ms and a judge that takes ${JUDGE_MS} ms; median`,
    `(least to most) of ${RUNS} runs:`,
    '',
    await measureJudged(),
  ]);
}
if (only !== 'judged') {
  const many = [await measureMany(MANY), await measureMany(10)];
  await writeSection('scenarios-many', [
    `${MANY.toLocaleString('en')} scenarios of one turn, the same agent, no judge; one run each. "Stop" is from Ctrl+C, after 100 answers, to the end of all processes:`,
    '',
    table(['scenarios in', 'list', 'run and evaluate', 'stop'], ...many),
  ]);
}
