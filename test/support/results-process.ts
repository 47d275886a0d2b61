import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const STORE = pathToFileURL(join(import.meta.dirname, '..', '..', 'src', 'store', 'results-store.ts')).href;

/** Waits for a line, writes results of its own files and of a shared one, and prints the path of each. */
const WRITER = `
  import { once } from 'node:events';
  import { writeSync } from 'node:fs';
  const { openResultsStore } = await import(process.env.STORE);
  const { HOME, NAME, COUNT } = process.env;
  const say = (kind, text) => writeSync(1, kind + ' ' + text + '\\n');
  say('ready', '');
  await once(process.stdin, 'data');
  const store = openResultsStore(HOME, { busyTimeoutMs: 10_000, warn: (sentence) => say('warning', sentence) });
  const made = (path, i) => ({ path, hash: NAME, evaluatedAt: i, format: 1, content: Buffer.from(NAME.repeat(2000) + i) });
  for (let i = 0; i < Number(COUNT); i += 1) {
    store.save([made('/traces/' + NAME + '/' + i + '.json', i), made('/traces/shared.json', i)]);
    say('written', '/traces/' + NAME + '/' + i + '.json');
  }
  process.exit();
`;

/** What such a process keeps of a file of its own. */
export function expectedContent(path: string): string {
  const [name = '', file = ''] = path.split('/').slice(-2);
  return name.repeat(2000) + file.replace('.json', '');
}

export interface ResultsProcess {
  /** Paths of files whose results it had written when it ended. */
  readonly written: readonly string[];
  readonly warnings: readonly string[];
  readonly stderr: string;
}

export interface ResultsProcessOptions {
  readonly home: string;
  readonly name: string;
  readonly count: number;
  /** Killed at once when it has written so many. */
  readonly killAfter?: number;
}

/** Processes that keep results at the same time, from the moment on when all of them are there. */
export async function writeResultsConcurrently(
  all: readonly ResultsProcessOptions[],
): Promise<readonly ResultsProcess[]> {
  const processes = all.map(start);
  await Promise.all(processes.map(({ ready }) => ready));
  for (const { go } of processes) go();
  return await Promise.all(processes.map(({ ended }) => ended));
}

function start({ home, name, count, killAfter }: ResultsProcessOptions) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', WRITER], {
    env: { PATH: process.env.PATH, STORE, HOME: home, NAME: name, COUNT: String(count) },
    stdio: 'pipe',
  });
  const message: Record<string, string[]> = { ready: [], written: [], warning: [] };
  let stderr = '';
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  const ready = Promise.withResolvers<void>();
  createInterface(child.stdout).on('line', (line) => {
    const [kind = '', ...rest] = line.split(' ');
    message[kind]?.push(rest.join(' '));
    ready.resolve();
    if (message.written?.length === killAfter) child.kill('SIGKILL');
  });
  const ended = once(child, 'close').then((): ResultsProcess => {
    ready.resolve();
    return { written: message.written ?? [], warnings: message.warning ?? [], stderr };
  });
  return { ready: ready.promise, go: () => child.stdin.write('go\n'), ended };
}
