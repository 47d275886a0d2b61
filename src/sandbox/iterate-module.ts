import { fork } from 'node:child_process';
import * as z from 'zod/mini';
import { resolveChildFile } from './child-file.ts';
import { errorLocation } from './error-location.ts';
import { errorReason, timeoutReason } from './function-runner.ts';
import type { ModuleFunction } from './module-function.ts';

/** The child's answer to a request for the next value. Values travel as JSON. */
const iterationReply = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('value'), json: z.string() }),
  z.object({ kind: z.literal('done') }),
  z.object({ kind: z.literal('threw'), message: z.string(), stack: z.string() }),
]);
export type IterationReply = z.output<typeof iterationReply>;

/** Why an iteration ended early. The message ends a sentence that begins with the code. */
export class IterationError extends Error {
  /** Where in the file, when it is known. */
  readonly line: number | undefined;
  constructor(message: string, line?: number) {
    super(message);
    this.name = 'IterationError';
    this.line = line;
  }
}

/**
 * Yields the values of something iterable in a module, or of what a function there returns, as JSON texts. The module
 * runs in a child process; what it prints goes to standard error. A value is requested when the one before it was
 * taken.
 *
 * @param timeoutMs for each value.
 * @throws IterationError, or the signal's reason.
 */
export async function* iterateModule(
  { file, path }: ModuleFunction,
  timeoutMs: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const child = fork(resolveChildFile('iterate-module-child', import.meta.url), [file, JSON.stringify(path)], {
    stdio: ['ignore', 2, 2, 'ipc'],
    execArgv: [],
  });
  const kill = () => child.kill('SIGKILL');
  // A module in an endless loop would not notice that this process has ended.
  process.once('exit', kill);
  const next = () => {
    const { promise, resolve, reject } = Promise.withResolvers<IterationReply>();
    const fail = (message: string) => reject(new IterationError(message));
    const onMessage = (message: unknown) => {
      const reply = iterationReply.safeParse(message);
      if (reply.success) resolve(reply.data);
    };
    const onExit = (code: number | null, by: string | null) => fail(`ended its process (${by ?? `exit code ${code}`})`);
    const onError = (error: Error) => fail(`could not be started: ${error.message}`);
    const onAbort = () => reject(signal.reason);
    const timer = setTimeout(() => fail(`${timeoutReason(timeoutMs)}, and was stopped`), timeoutMs);
    child.on('message', onMessage).on('exit', onExit).on('error', onError);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    child.send('next', () => {});
    return promise.finally(() => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit).off('error', onError);
      signal.removeEventListener('abort', onAbort);
    });
  };
  try {
    for (;;) {
      const reply = await next();
      if (reply.kind === 'done') return;
      if (reply.kind === 'threw')
        throw new IterationError(errorReason(reply.message), errorLocation(file, reply)?.line);
      yield reply.json;
    }
  } finally {
    process.off('exit', kill);
    child.on('error', () => {});
    kill();
  }
}
