import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const STORE = pathToFileURL(join(import.meta.dirname, '..', '..', 'src', 'store', 'store.ts')).href;

/** Waits for a line, prints the boundary key, writes answers, and prints the key of each written answer. */
const WRITER = `
  import { once } from 'node:events';
  import { writeSync } from 'node:fs';
  const { openStore } = await import(process.env.STORE);
  const { HOME, NAME, COUNT } = process.env;
  const say = (kind, text) => writeSync(1, kind + ' ' + text + '\\n');
  say('ready', '');
  await once(process.stdin, 'data');
  const store = openStore(HOME, { warn: (sentence) => say('warning', sentence) });
  say('key', Buffer.from(store.boundaryKey).toString('hex'));
  for (let i = 0; i < Number(COUNT); i += 1) {
    await store.answerCache.put(NAME + '-' + i, JSON.stringify({ reason: NAME.repeat(1000), i }));
    say('written', NAME + '-' + i);
  }
  process.exit();
`;

/** What `store-process` writes under a key. */
export function expectedAnswer(key: string): string {
  const [name = '', i] = key.split('-');
  return JSON.stringify({ reason: name.repeat(1000), i: Number(i) });
}

export interface StoreProcess {
  readonly key: string | null;
  /** Keys of the answers that it had written when it ended. */
  readonly written: readonly string[];
  readonly warnings: readonly string[];
  readonly stderr: string;
}

export interface StoreProcessOptions {
  readonly home: string;
  readonly name: string;
  readonly count: number;
  /** Killed at once when it has written so many. */
  readonly killAfter?: number;
  /** The command that runs Node. */
  readonly command?: readonly [string, ...string[]];
}

/** Processes that write answers at the same time; they begin when all have started. */
export async function writeConcurrently(writings: readonly StoreProcessOptions[]): Promise<readonly StoreProcess[]> {
  const processes = writings.map(start);
  await Promise.all(processes.map(({ ready }) => ready));
  for (const { go } of processes) go();
  return await Promise.all(processes.map(({ ended }) => ended));
}

function start({ home, name, count, killAfter, command = [process.execPath] }: StoreProcessOptions) {
  const [file, ...args] = [...command, '--input-type=module', '--eval', WRITER];
  const child = spawn(file ?? '', args, {
    env: { PATH: process.env.PATH, STORE, HOME: home, NAME: name, COUNT: String(count) },
    stdio: 'pipe',
  });
  const message: Record<string, string[]> = { ready: [], key: [], written: [], warning: [] };
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
  const ended = once(child, 'close').then((): StoreProcess => {
    ready.resolve();
    return { key: message.key?.[0] ?? null, written: message.written ?? [], warnings: message.warning ?? [], stderr };
  });
  return { ready: ready.promise, go: () => child.stdin.write('go\n'), ended };
}
