import { join } from 'node:path';
import type { CommandHost, StopSignal, TextOutput } from '../../src/cli/host.ts';

export interface FakeHost extends CommandHost {
  /** What was written. */
  readonly written: { stdout: string; stderr: string };
  /** Codes with which the process was asked to end at once. */
  readonly exits: number[];
  /** Asks the command to stop; by default by Ctrl-C. */
  interrupt(signal?: StopSignal): void;
  /** Lets time pass. */
  advance(ms: number): void;
}

/** A host without a process: what is written is kept, and time stands still. */
export function fakeHost({
  cwd = '/',
  terminal = false,
  columns = 80,
  env = {},
  ask = async () => null,
}: Partial<Pick<CommandHost, 'cwd' | 'env' | 'ask'> & Pick<TextOutput, 'terminal' | 'columns'>> = {}): FakeHost {
  const written = { stdout: '', stderr: '' };
  const exits: number[] = [];
  const listeners = new Set<(signal: StopSignal) => void>();
  let time = 0;
  const output = (name: 'stdout' | 'stderr'): TextOutput => ({
    terminal,
    columns,
    closed: new AbortController().signal,
    flush: async () => null,
    write: async (text) => {
      written[name] += text;
    },
  });
  return {
    stdout: output('stdout'),
    stderr: output('stderr'),
    // A run that is recorded stays in the folder of its test.
    env: cwd === '/' ? env : { TURNWISE_HOME: join(cwd, '.turnwise-home'), ...env },
    cwd,
    now: () => time,
    readStdin: async () => new Uint8Array(),
    ask,
    onStop(callback) {
      listeners.add(callback);
      return () => listeners.delete(callback);
    },
    exit: (code) => exits.push(code),
    written,
    exits,
    interrupt: (signal = 'SIGINT') => {
      for (const callback of listeners) callback(signal);
    },
    advance: (ms) => {
      time += ms;
    },
  };
}
