import { type ChildProcess, fork } from 'node:child_process';
import { errorMessage } from '../core/error-message.ts';
import { createCallTimer } from './call-timer.ts';
import { resolveChildFile } from './child-file.ts';
import type { FunctionAnswer } from './function-judge.ts';
import { type ChildReply, type ChildRequest, childReply } from './function-messages.ts';
import type { FunctionCall } from './function-runner.ts';
import type { ModuleFunction } from './module-function.ts';

/** The result of a call. */
export type CallResult =
  | Exclude<ChildReply, { type: 'started' | 'ask' }>
  /** It was called, and did not answer in time. */
  | { readonly type: 'timeout' }
  /** It was called, and its process ended. */
  | { readonly type: 'ended'; readonly how: string }
  /** It was not called. */
  | { readonly type: 'not started'; readonly how: string }
  | { readonly type: 'cancelled' };

const NO_JUDGE: FunctionAnswer = { answered: false, reason: 'this function cannot ask one' };

/** How long a module may take to load. Once it is loaded, a call must begin within its own time limit. */
const LOAD_TIMEOUT_MS = 30_000;

/** Shared values that the process keeps: as many as there are sessions evaluated at once. */
const MAX_SHARED_VALUES = 8;

/** A process that loads modules and calls their functions. What they print goes to standard error. */
export class FunctionProcess implements Disposable {
  readonly #child: ChildProcess = fork(resolveChildFile('call-functions-child', import.meta.url), [], {
    stdio: ['ignore', 2, 2, 'ipc'],
    execArgv: [],
    // Keeps values that JSON lacks: a score of NaN must not arrive as null.
    serialization: 'advanced',
  });
  /** Keys of the shared values that the process has, the oldest first. */
  readonly #sharedKeys = new Map<object, number>();
  #nextKey = 0;
  #nextCall = 0;
  /** Whether a function was called, so that its module is loaded. */
  #hasCalled = false;

  constructor() {
    // Calls report errors of the process; without a listener, one between two calls would be thrown.
    this.#child.on('error', () => {});
  }

  /** Never rejects. After any result but `returned`, `threw` and `refused`, the process must be disposed of. */
  call(
    { args, shared = [], timeoutMs, judge }: FunctionCall,
    { file, path, ownerName }: ModuleFunction,
    signal: AbortSignal,
  ): Promise<CallResult> {
    const { promise, resolve } = Promise.withResolvers<CallResult>();
    const child = this.#child;
    const id = this.#nextCall++;
    let started = false;
    const startMs = this.#hasCalled ? timeoutMs : LOAD_TIMEOUT_MS;
    const onTimeout = () => {
      resolve(
        started ? { type: 'timeout' } : { type: 'not started', how: `nothing began within ${startMs / 1000} seconds` },
      );
    };
    const timer = createCallTimer(onTimeout);
    timer.start(startMs);
    const end = (how: string) => resolve(started ? { type: 'ended', how } : { type: 'not started', how });
    const onExit = (code: number | null, by: string | null) => end(by ?? `exit code ${code}`);
    const onError = (error: Error) => end(error.message);
    const onAbort = () => resolve({ type: 'cancelled' });
    const onMessage = (message: unknown) => {
      const { data } = childReply.safeParse(message);
      if (data?.id !== id) return;
      if (data.type === 'ask') {
        const { question, ask } = data;
        void timer.pause(async () => {
          const answer = await (judge?.ask(ask) ?? NO_JUDGE);
          this.#send({ type: 'answer', question, answer });
        });
        return;
      }
      if (data.type !== 'started') return resolve(data);
      this.#hasCalled = true;
      started = true;
      timer.start(timeoutMs);
    };
    child.on('message', onMessage).on('exit', onExit).on('error', onError);
    signal.addEventListener('abort', onAbort);
    if (!child.connected) end('it had ended before');
    try {
      const keys = shared.map(({ value, from, to }) => ({ key: this.#keyOf(value), from, to }));
      this.#send({ type: 'call', id, file, path, ownerName, args: [...args], shared: keys, judge: judge?.at });
    } catch (error) {
      const reason = errorMessage(error);
      resolve({ type: 'refused', id, reason: `cannot be given its arguments: ${reason}` });
    }
    return promise.finally(() => {
      timer.stop();
      child.off('message', onMessage).off('exit', onExit).off('error', onError);
      signal.removeEventListener('abort', onAbort);
    });
  }

  #keyOf(value: object): number {
    const known = this.#sharedKeys.get(value);
    if (known !== undefined) return known;
    const key = this.#nextKey++;
    this.#send({ type: 'share', key, value });
    this.#sharedKeys.set(value, key);
    const [oldest] = this.#sharedKeys;
    if (oldest && this.#sharedKeys.size > MAX_SHARED_VALUES) {
      this.#sharedKeys.delete(oldest[0]);
      this.#send({ type: 'forget', key: oldest[1] });
    }
    return key;
  }

  /** Errors are ignored: when the process is gone, its exit is reported. */
  #send(request: ChildRequest): void {
    this.#child.send(request, () => {});
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
  }
}
