import { ModuleFunction } from '../metrics/custom/definition.ts';
import {
  DEFAULT_CALL_TIMEOUT_MS,
  errorReason,
  type FunctionCall,
  type FunctionReply,
  type FunctionRunner,
  timeoutReason,
} from '../metrics/custom/function-runner.ts';
import { errorLocation } from './error-location.ts';
import { type CallResult, FunctionProcess } from './function-process.ts';

/**
 * Calls functions of configurations that are code, in a process of their own that is started at the first call. One that
 * does not come back in time is stopped together with its process, and the next call gets a new one. To be called one by one.
 */
export class ModuleFunctionRunner implements FunctionRunner, Disposable {
  #process: FunctionProcess | null = null;
  /** Why no process can call anything: it would not be otherwise the next time. */
  #broken: string | null = null;

  async call(call: FunctionCall, signal: AbortSignal): Promise<FunctionReply> {
    const { evaluate, timeoutMs = DEFAULT_CALL_TIMEOUT_MS } = call.metric;
    if (!(evaluate instanceof ModuleFunction)) return { kind: 'threw', reason: 'stands in no file' };
    if (this.#broken !== null) return { kind: 'threw', reason: this.#broken };
    const wasThere = this.#process !== null;
    const said = await this.#ask(call, evaluate, timeoutMs, signal);
    if (said.type !== 'not started') return this.#replyOf(said, evaluate, timeoutMs);
    // What an earlier call had left behind in the process is not this call's fault.
    const again = wasThere ? await this.#ask(call, evaluate, timeoutMs, signal) : said;
    return this.#replyOf(again, evaluate, timeoutMs);
  }

  async #ask(call: FunctionCall, evaluate: ModuleFunction, limitMs: number, signal: AbortSignal): Promise<CallResult> {
    this.#process ??= new FunctionProcess();
    const said = await this.#process.call(call, evaluate, limitMs, signal);
    if (!['returned', 'threw', 'refused'].includes(said.type)) this.#stop();
    return said;
  }

  #replyOf(said: CallResult, { file }: ModuleFunction, limitMs: number): FunctionReply {
    switch (said.type) {
      case 'returned':
        return { kind: 'returned', value: said.value };
      case 'threw':
        return { kind: 'threw', reason: errorReason(said.message), line: errorLocation(file, said)?.line };
      case 'refused':
        return { kind: 'threw', reason: said.reason };
      case 'late':
        return { kind: 'lost', reason: `${timeoutReason(limitMs)}, and was stopped` };
      case 'ended':
        return { kind: 'lost', reason: `ended its process (${said.how})` };
      case 'not started':
        this.#broken = `could not be loaded: ${said.how}`;
        return { kind: 'lost', reason: this.#broken };
      case 'cancelled':
        return { kind: 'cancelled' };
    }
  }

  #stop(): void {
    this.#process?.[Symbol.dispose]();
    this.#process = null;
  }

  [Symbol.dispose](): void {
    this.#stop();
  }
}
