import type { Writable } from 'node:stream';
import { MAX_BYTES } from '../input/decode.ts';
import { FileTooLarge } from '../input/file-system.ts';

/** A stream of text. Writing waits for a slow reader, and does nothing once nothing more can be written. */
export interface TextOutput {
  readonly terminal: boolean;
  readonly columns: number;
  /** Aborted when nothing more can be written: the reader is gone, or the disk is full. */
  readonly closed: AbortSignal;
  /** Never rejects. */
  write(text: string): Promise<void>;
  /** Waits until everything is written. @returns why it cannot be written; null also if the reader is gone. */
  flush(): Promise<Error | null>;
}

/** The signals that ask a command to stop: Ctrl-C, a process manager, a terminal that is closed. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type StopSignal = (typeof STOP_SIGNALS)[number];

/** The environment of a command, passed in so that commands can be tested without a process. */
export interface CommandHost {
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Monotonic time in milliseconds. */
  now(): number;
  readStdin(signal: AbortSignal): Promise<Uint8Array>;
  /** Asks the user at the terminal. Null where there is none, and without an answer. */
  ask(question: string, signal: AbortSignal): Promise<string | null>;
  /** Calls back on every signal that asks to stop. @returns a function that removes the listener. */
  onStop(callback: (signal: StopSignal) => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
}

export function nodeHost(): CommandHost {
  return {
    stdout: streamOutput(process.stdout, process.env),
    stderr: withoutWorkflowCommands(streamOutput(process.stderr, process.env), process.env),
    env: process.env,
    cwd: process.cwd(),
    now: () => performance.now(),
    readStdin,
    ask: askAtTerminal,
    onStop(callback) {
      for (const signal of STOP_SIGNALS) process.on(signal, callback);
      return () => {
        for (const signal of STOP_SIGNALS) process.off(signal, callback);
      };
    },
    exit: (code) => process.exit(code),
  };
}

/** Wraps a stream; works for files and for the standard streams. */
export function streamOutput(
  stream: Writable & { readonly isTTY?: boolean; readonly columns?: number },
  env: CommandHost['env'],
): TextOutput {
  const closing = new AbortController();
  const closed = closing.signal;
  let failure: Error | null = null;
  let isUsed = false;
  stream.on('error', (error) => {
    if (!isReaderGone(error, stream)) failure ??= error;
    closing.abort();
  });
  stream.on('close', () => closing.abort());
  let draining: Promise<void> | null = null;
  /** Shared by all writers that wait, so that they do not add a listener each. */
  const drained = () => {
    draining ??= new Promise<void>((resolve) => {
      const done = () => {
        stream.off('drain', done);
        closed.removeEventListener('abort', done);
        draining = null;
        resolve();
      };
      stream.once('drain', done);
      closed.addEventListener('abort', done, { once: true });
    });
    return draining;
  };
  return {
    terminal: stream.isTTY === true,
    columns: stream.columns ?? parsePositiveInteger(env.COLUMNS) ?? 80,
    closed,
    async write(text) {
      if (closed.aborted || text === '') return;
      isUsed = true;
      if (stream.write(text)) return;
      await drained();
    },
    async flush() {
      if (!isUsed) return null;
      if (!closed.aborted) await new Promise<void>((resolve) => stream.write('', () => resolve()));
      // A stream reports its error after the callbacks of the writes that failed.
      await new Promise((resolve) => setImmediate(resolve));
      return failure;
    },
  };
}

/** GitHub Actions looks for commands in both streams of a step, and a message may quote any text of a trace. */
export function withoutWorkflowCommands(output: TextOutput, { GITHUB_ACTIONS }: CommandHost['env']): TextOutput {
  if (GITHUB_ACTIONS !== 'true') return output;
  const isCommand = (line: string) => line.trimStart().startsWith('::');
  const inLine = (line: string) => (isCommand(line) ? line.replace('::', ': :') : line).replaceAll('##[', '## [');
  return { ...output, write: (text) => output.write(text.split(LINE_END).map(inLine).join('')) };
}

const LINE_END = /([\r\n])/;

/** The reader of a pipe may stop at any time, as `head` does, and a terminal may be closed. */
function isReaderGone(error: Error, { isTTY }: { readonly isTTY?: boolean }): boolean {
  const code = 'code' in error ? error.code : undefined;
  return code === 'EPIPE' || code === 'ECONNRESET' || (isTTY === true && code === 'EIO');
}

function parsePositiveInteger(text: string | undefined): number | null {
  const number = Number(text);
  return Number.isInteger(number) && number > 0 ? number : null;
}

/** Can be aborted, since a terminal or a pipe may stay open forever. */
async function readStdin(signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const stop = () => process.stdin.destroy(new DOMException('Reading was stopped.', 'AbortError'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    for await (const chunk of process.stdin) {
      length += chunk.length;
      if (length > MAX_BYTES) throw new FileTooLarge(length);
      chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function askAtTerminal(question: string, signal: AbortSignal): Promise<string | null> {
  if (!process.stdin.isTTY || !process.stderr.isTTY || signal.aborted) return null;
  const { createInterface } = await import('node:readline');
  // The terminal edits the line: Ctrl-C stays a signal.
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const stop = () => lines.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await new Promise((resolve) => {
      lines.once('close', () => resolve(null));
      lines.question(question, resolve);
    });
  } finally {
    signal.removeEventListener('abort', stop);
    lines.close();
  }
}

/** Whether an output gets color: at a terminal or with FORCE_COLOR, and never with NO_COLOR. */
export function supportsColor(output: Pick<TextOutput, 'terminal'>, env: CommandHost['env']): boolean {
  if (env.NO_COLOR) return false;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  return output.terminal && env.TERM !== 'dumb';
}
