import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** A stream of text. Writing waits for a slow reader, and does nothing once the reader is gone. */
export interface TextOutput {
  readonly terminal: boolean;
  readonly columns: number;
  write(text: string): Promise<void>;
}

/** The environment of a command, passed in so that commands can be tested without a process. */
export interface CommandHost {
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Monotonic time in milliseconds. */
  now(): number;
  readStdin(signal: AbortSignal): Promise<Uint8Array>;
  /** Calls back on every Ctrl-C. @returns a function that removes the listener. */
  onInterrupt(callback: () => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
}

export function nodeHost(): CommandHost {
  return {
    stdout: streamOutput(process.stdout, process.env),
    stderr: streamOutput(process.stderr, process.env),
    env: process.env,
    cwd: process.cwd(),
    now: () => performance.now(),
    readStdin,
    onInterrupt(callback) {
      process.on('SIGINT', callback);
      return () => process.off('SIGINT', callback);
    },
    exit: (code) => process.exit(code),
  };
}

/** Wraps a stream; works for files and for the standard streams. */
export function streamOutput(
  stream: Writable & { readonly isTTY?: boolean; readonly columns?: number },
  env: CommandHost['env'],
): TextOutput {
  let closed = false;
  // The reader of a pipe may stop at any time, as `head` does. This is not an error.
  stream.on('error', (error) => {
    closed = true;
    if (!('code' in error && error.code === 'EPIPE')) throw error;
  });
  return {
    terminal: stream.isTTY === true,
    columns: stream.columns ?? parsePositiveInteger(env.COLUMNS) ?? 80,
    async write(text) {
      if (closed || stream.write(text)) return;
      await Promise.race([once(stream, 'drain'), once(stream, 'close')]).catch(() => undefined);
    },
  };
}

function parsePositiveInteger(text: string | undefined): number | null {
  const number = Number(text);
  return Number.isInteger(number) && number > 0 ? number : null;
}

/** Can be aborted, since a terminal or a pipe may stay open forever. */
async function readStdin(signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const stop = () => process.stdin.destroy(new DOMException('Reading was stopped.', 'AbortError'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    for await (const chunk of process.stdin) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    return Buffer.concat(chunks);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Whether an output gets color: at a terminal or with FORCE_COLOR, and never with NO_COLOR. */
export function supportsColor(output: TextOutput, env: CommandHost['env']): boolean {
  if (env.NO_COLOR) return false;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  return output.terminal && env.TERM !== 'dumb';
}
