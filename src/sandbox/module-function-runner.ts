import { errorLocation } from './error-location.ts';
import { type CallResult, FunctionProcess } from './function-process.ts';
import {
  errorReason,
  type FunctionCall,
  type FunctionReply,
  type FunctionRunner,
  timeoutReason,
} from './function-runner.ts';
import { ModuleFunction } from './module-function.ts';

/**
 * Calls functions of configurations that are code, in a child process that starts at the first call. When a call times
 * out its process is killed, and the next call starts a new one.
 */
export class ModuleFunctionRunner implements FunctionRunner, Disposable {
  #process: FunctionProcess | null = null;
  /** Those that were ended because of one call. */
  readonly #stopped = new WeakSet<FunctionProcess>();
  /** Why no function can be called; it would be the same in a new process. */
  #failure: string | null = null;

  async call(call: FunctionCall, signal: AbortSignal): Promise<FunctionReply> {
    const { fn } = call;
    if (!(fn instanceof ModuleFunction)) return { kind: 'threw', reason: 'is not in a file' };
    if (this.#failure !== null) return { kind: 'threw', reason: this.#failure };
    const wasRunning = this.#process !== null;
    const result = await this.#callUndisturbed(call, fn, signal);
    if (result.type !== 'not started' || !wasRunning) return this.#toReply(result, call, fn);
    // An earlier call may have broken the process; that must not count against this one.
    return this.#toReply(await this.#callUndisturbed(call, fn, signal), call, fn);
  }

  /** Repeats a call whose process was ended because of another one. The judge's answers are known then. */
  async #callUndisturbed(call: FunctionCall, fn: ModuleFunction, signal: AbortSignal): Promise<CallResult> {
    for (;;) {
      this.#process ??= new FunctionProcess();
      const process = this.#process;
      const result = await this.#callIn(process, call, fn, signal);
      if (result.type !== 'ended' || !this.#stopped.has(process)) return result;
    }
  }

  async #callIn(
    process: FunctionProcess,
    call: FunctionCall,
    fn: ModuleFunction,
    signal: AbortSignal,
  ): Promise<CallResult> {
    const result = await process.call(call, fn, signal);
    if (result.type !== 'returned' && result.type !== 'threw' && result.type !== 'refused') {
      process[Symbol.dispose]();
      if (result.type !== 'ended') this.#stopped.add(process);
      if (this.#process === process) this.#process = null;
    }
    return result;
  }

  #toReply(result: CallResult, { timeoutMs }: FunctionCall, { file }: ModuleFunction): FunctionReply {
    switch (result.type) {
      case 'returned':
        return { kind: 'returned', value: result.value };
      case 'threw':
        return { kind: 'threw', reason: errorReason(result.message), line: errorLocation(file, result)?.line };
      case 'refused':
        return { kind: 'threw', reason: result.reason };
      case 'timeout':
        return { kind: 'lost', reason: `${timeoutReason(timeoutMs)}, and was stopped` };
      case 'ended':
        return { kind: 'lost', reason: `ended its process (${result.how})` };
      case 'not started':
        this.#failure = `could not be loaded: ${result.how}`;
        return { kind: 'lost', reason: this.#failure };
      case 'cancelled':
        return { kind: 'cancelled' };
    }
  }

  [Symbol.dispose](): void {
    this.#process?.[Symbol.dispose]();
    this.#process = null;
  }
}
