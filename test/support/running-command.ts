import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { childEnvironment } from './child-environment.ts';
import { CLI_MAIN } from './cli.ts';
import { temporaryFolder } from './temporary-folder.ts';

const WAIT_MS = 60_000;

/** A command that runs until it is stopped, in a folder of its own, as at a terminal that nobody looks at. */
export async function runningCommand(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const folder = await temporaryFolder(files);
  const command = commandIn(folder.path, ...args);
  return {
    ...command,
    path: folder.path,
    write: (name: string, text: string) => writeFile(join(folder.path, name), text),
    [Symbol.asyncDispose]: async () => {
      await command[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The same in a folder that there is. */
export function commandIn(cwd: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [CLI_MAIN, ...args], {
    cwd,
    env: childEnvironment(cwd),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    written.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    written.stderr += text;
  });
  const ended = once(child, 'close');
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const [code] = await ended;
    return code;
  };
  return {
    written,
    until: async (text: string, stream: 'stdout' | 'stderr' = 'stdout') => {
      await expect.poll(() => written[stream], { timeout: WAIT_MS }).toContain(text);
    },
    interrupt: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) await end('SIGKILL');
    },
  };
}
