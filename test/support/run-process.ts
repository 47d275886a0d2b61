import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const RUNS_FOLDER = join(import.meta.dirname, '..', '..', 'src', 'store', 'runs');
const STORE = pathToFileURL(join(RUNS_FOLDER, 'run-store.ts')).href;
const LOCK = pathToFileURL(join(RUNS_FOLDER, 'writer-lock.ts')).href;

/** Records runs one after the other, and prints `RUN INDEX` of each session that is recorded, and `RUN finished`. */
const RECORDER = `
  import { readFileSync, writeSync } from 'node:fs';
  const { openRunStore } = await import(process.env.STORE);
  const { HOME, NAME, RUNS, INPUT } = process.env;
  const { manifest, outcomes, rows } = JSON.parse(readFileSync(INPUT, 'utf8'));
  const say = (text) => writeSync(1, text + '\\n');
  const store = openRunStore(HOME, { cwd: HOME, warn: (sentence) => say('warning ' + sentence) });
  say('ready');
  for (let run = 0; run < Number(RUNS); run += 1) {
    const id = '20261101T090000000Z-' + NAME + String(run).padStart(6, '0');
    const writer = await store.create({ ...manifest, id, state: 'running', totals: null });
    say(id + ' begun');
    for (const [index, outcome] of outcomes.entries()) {
      await writer.session(outcome, index);
      if (writer.problem === null) say(id + ' ' + index);
    }
    await writer.finish(rows, { ...manifest, id });
    say(id + (writer.problem === null ? ' finished' : ' problem ' + writer.problem));
    store.list({ project: manifest.project });
  }
  process.exit();
`;

export interface RunProcess {
  /** What it printed, in order. */
  readonly lines: readonly string[];
  readonly stderr: string;
}

export interface RunProcessOptions {
  /** The data folder. */
  readonly home: string;
  /** Two hexadecimal digits, in the ids of its runs. */
  readonly name: string;
  readonly runs: number;
  /** A JSON file with `manifest`, `outcomes` and `rows`. */
  readonly input: string;
  /** Killed so long after it has begun; otherwise it ends by itself. */
  readonly killAfterMs?: number;
  /** The command that runs Node. */
  readonly command?: readonly [string, ...string[]];
}

/** A process that records runs. */
export async function recordRuns(options: RunProcessOptions): Promise<RunProcess> {
  const { home, name, runs, input, killAfterMs, command = [process.execPath] } = options;
  const [file, ...args] = [...command, '--input-type=module', '--eval', RECORDER];
  const child = spawn(file ?? '', args, {
    env: { PATH: process.env.PATH, STORE, HOME: home, NAME: name, RUNS: String(runs), INPUT: input },
    stdio: 'pipe',
  });
  const lines: string[] = [];
  let stderr = '';
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  createInterface(child.stdout).on('line', (line) => {
    if (line === 'ready' && killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    lines.push(line);
  });
  await once(child, 'close');
  return { lines, stderr };
}

/** Tries to take the lock of each folder at the same time as its siblings, prints those that it took, and stays. */
const LOCKER = `
  import { writeSync } from 'node:fs';
  const { WriterLock } = await import(process.env.LOCK);
  // A listener keeps the process alive: the locks of a process that has ended can be taken over.
  process.on('message', ({ folders, startAt }) => {
    folders.forEach((folder, index) => {
      while (Date.now() < startAt + 20 * index);
      try {
        new WriterLock(folder);
        writeSync(1, folder + '\\n');
      } catch {}
    });
    writeSync(1, 'done\\n');
  });
  process.send('ready');
`;

/** Processes that take the writer locks of folders at the same moments. @returns every folder that one of them took */
export async function takeLocks(folders: readonly string[], processes: number): Promise<string[]> {
  const children = Array.from({ length: processes }, () =>
    spawn(process.execPath, ['--input-type=module', '--eval', LOCKER], {
      env: { PATH: process.env.PATH, LOCK },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    }),
  );
  const outputs = children.map((child) => createInterface(child.stdout ?? process.stdin));
  await Promise.all(children.map((child) => once(child, 'message')));
  const startAt = Date.now() + 200;
  for (const child of children) child.send({ folders, startAt });
  const taken: string[] = [];
  const ended = outputs.map(async (lines) => {
    for await (const line of lines) {
      if (line === 'done') break;
      taken.push(line);
    }
  });
  await Promise.all(ended);
  for (const child of children) child.kill('SIGKILL');
  return taken;
}
