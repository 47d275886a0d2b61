import type { CommandHost, TextOutput } from '../../src/cli/host.ts';

export interface FakeHost extends CommandHost {
  /** What was written. */
  readonly written: { stdout: string; stderr: string };
  /** Codes with which the process was asked to end at once. */
  readonly exits: number[];
  /** Presses Ctrl-C. */
  interrupt(): void;
  /** Lets time pass. */
  advance(ms: number): void;
}

/** A host without a process: what is written is kept, and time stands still. */
export function fakeHost({
  cwd = '/',
  terminal = false,
  columns = 80,
  env = {},
}: Partial<Pick<CommandHost, 'cwd' | 'env'> & Omit<TextOutput, 'write'>> = {}): FakeHost {
  const written = { stdout: '', stderr: '' };
  const exits: number[] = [];
  const listeners = new Set<() => void>();
  let time = 0;
  const output = (name: 'stdout' | 'stderr'): TextOutput => ({
    terminal,
    columns,
    write: async (text) => {
      written[name] += text;
    },
  });
  return {
    stdout: output('stdout'),
    stderr: output('stderr'),
    env,
    cwd,
    now: () => time,
    readStdin: async () => new Uint8Array(),
    onInterrupt(callback) {
      listeners.add(callback);
      return () => listeners.delete(callback);
    },
    exit: (code) => exits.push(code),
    written,
    exits,
    interrupt: () => {
      for (const callback of listeners) callback();
    },
    advance: (ms) => {
      time += ms;
    },
  };
}
