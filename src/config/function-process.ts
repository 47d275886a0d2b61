import { type ChildProcess, fork } from 'node:child_process';
import { errorMessage } from '../core/error-message.ts';
import type { Session } from '../core/session.ts';
import type { ModuleFunction } from '../metrics/custom/definition.ts';
import type { FunctionCall } from '../metrics/custom/function-runner.ts';
import { type ChildReply, type ChildRequest, childReply } from './function-messages.ts';
import { resolveChildFile } from './node-child-file.ts';

/** What came of a call. */
export type CallResult =
  | Exclude<ChildReply, { type: 'started' }>
  /** It was called, and had not answered when the time was over. */
  | { readonly type: 'late' }
  /** It was called, and its process ended. */
  | { readonly type: 'ended'; readonly how: string }
  /** It was not called. */
  | { readonly type: 'not started'; readonly how: string }
  | { readonly type: 'cancelled' };

/** Loading a module may take so long; where one is loaded already, a call has its own time limit to begin. */
const LOAD_TIMEOUT_MS = 30_000;

/** Sessions that the process keeps: as many as are evaluated side by side. */
const MAX_SESSIONS = 8;

/** A process that loads a configuration and calls its functions, one at a time. What it prints goes to standard error. */
export class FunctionProcess implements Disposable {
  readonly #child: ChildProcess = fork(resolveChildFile('call-functions-child'), [], {
    stdio: ['ignore', 2, 2, 'ipc'],
    execArgv: [],
    // Keeps what JSON does not know: a score that is NaN must not arrive as null.
    serialization: 'advanced',
  });
  /** By session, those that were sent; the oldest first. */
  readonly #keys = new Map<Session, number>();
  #keysGiven = 0;
  #calls = 0;
  /** Whether a function was called, so that the configuration is loaded. */
  #hasCalled = false;

  constructor() {
    // Whoever waits for an answer hears of it; between calls nobody does.
    this.#child.on('error', () => {});
  }

  /** Never rejects. Whatever is neither an answer nor a refusal leaves a process that is of no more use. */
  call(
    { metric: { name }, session, subject: about }: FunctionCall,
    { file, index }: ModuleFunction,
    limitMs: number,
    signal: AbortSignal,
  ): Promise<CallResult> {
    const { promise, resolve } = Promise.withResolvers<CallResult>();
    const child = this.#child;
    const id = this.#calls++;
    let started = false;
    const over = () => {
      resolve(started ? { type: 'late' } : { type: 'not started', how: `nothing began within ${seconds(startMs)}` });
    };
    const startMs = this.#hasCalled ? limitMs : LOAD_TIMEOUT_MS;
    let timer = setTimeout(over, startMs);
    const ended = (how: string) => resolve(started ? { type: 'ended', how } : { type: 'not started', how });
    const onExit = (code: number | null, by: string | null) => ended(by ?? `exit code ${code}`);
    const onError = (error: Error) => ended(error.message);
    const onAbort = () => resolve({ type: 'cancelled' });
    const onMessage = (message: unknown) => {
      const { data } = childReply.safeParse(message);
      if (data?.id !== id) return;
      if (data.type !== 'started') return resolve(data);
      this.#hasCalled = true;
      started = true;
      clearTimeout(timer);
      timer = setTimeout(over, limitMs);
    };
    child.on('message', onMessage).on('exit', onExit).on('error', onError);
    signal.addEventListener('abort', onAbort);
    if (!child.connected) ended('it had ended before');
    try {
      const key = this.#keyOf(session);
      this.#send({ type: 'call', id, file, index, name, session: key, about });
    } catch (error) {
      const why = errorMessage(error);
      resolve({ type: 'refused', id, reason: `cannot be given the session: ${why}` });
    }
    return promise.finally(() => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit).off('error', onError);
      signal.removeEventListener('abort', onAbort);
    });
  }

  #keyOf(session: Session): number {
    const known = this.#keys.get(session);
    if (known !== undefined) return known;
    const key = this.#keysGiven++;
    this.#send({ type: 'session', key, session });
    this.#keys.set(session, key);
    const [oldest] = this.#keys;
    if (oldest && this.#keys.size > MAX_SESSIONS) {
      this.#keys.delete(oldest[0]);
      this.#send({ type: 'forget', key: oldest[1] });
    }
    return key;
  }

  /** That the process is gone, its end says. */
  #send(order: ChildRequest): void {
    this.#child.send(order, () => {});
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
  }
}

function seconds(ms: number): string {
  return `${ms / 1000} seconds`;
}
