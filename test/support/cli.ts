import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { childEnvironment } from './child-environment.ts';

/** The command line. `npm test` runs what is shipped, which also starts sooner. */
export const CLI_MAIN = process.env.TURNWISE_TEST_CLI ?? join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');

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
  /** What a shell does with standard output: `> /dev/full`, or `| head -1`. The code is still that of the command line. */
  readonly redirect?: string;
  /** Runs it at a terminal, whose input is `stdin` and whose output is `stdout`. Linux only. */
  readonly terminal?: boolean;
}

/** Runs the command line as a user does, in a process of its own; not at a terminal. */
export async function turnwise(
  args: readonly string[],
  { cwd, env = {}, stdin, whileRunning, redirect, terminal }: CliOptions,
): Promise<CliResult> {
  const command = [process.execPath, CLI_MAIN, ...args];
  const inShell = ['bash', '-c', `"$0" "$@" ${redirect}; exit \${PIPESTATUS[0]}`, ...command];
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const atTerminal = ['script', '--quiet', '--return', '--command', quoted, '/dev/null'];
  const [program = '', ...rest] = terminal ? atTerminal : redirect === undefined ? command : inShell;
  const child = spawn(program, rest, {
    cwd,
    env: { ...childEnvironment(cwd), ...env },
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
