import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');

export interface CliResult {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What standard input holds; without it, it is empty. */
  readonly stdin?: string;
  /** Called once the process runs; standard input stays open. */
  readonly whileRunning?: (child: ChildProcess) => void;
}

/** Runs the command line as a user does, in a process of its own; not at a terminal. */
export async function turnwise(
  args: readonly string[],
  { cwd, env = {}, stdin, whileRunning }: CliOptions,
): Promise<CliResult> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, NODE_NO_WARNINGS: '1', ...env },
    stdio: 'pipe',
  });
  if (whileRunning) whileRunning(child);
  else child.stdin.end(stdin ?? '');
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}
