import { jsonEqual } from '../../../core/json.ts';
import type { ToolStep } from '../../../core/session.ts';

/** A requested call; `missing` until its result is found. */
export type OpenCall = { -readonly [Key in keyof ToolStep]: ToolStep[Key] };

/**
 * The calls without a result so far: those of the open turn, and those of earlier turns by id. Each call is visited a
 * constant number of times.
 */
export class PendingCalls {
  readonly #byId = new Map<string, OpenCall>();
  /** Calls of one turn with the same id, except for the first. */
  readonly #reused = new Map<string, CallQueue>();
  readonly #earlier = new Map<string, OpenCall>();
  #inOrder = new CallQueue();
  #withoutId = new CallQueue();
  /** Built when a result has no id. */
  #byName: Map<string, CallQueue> | null = null;

  nextTurn(): void {
    for (const [id, call] of this.#byId) if (isPending(call)) this.#earlier.set(id, call);
    this.#byId.clear();
    this.#reused.clear();
    this.#byName = null;
    if (this.#inOrder.isEmpty) return;
    this.#inOrder = new CallQueue();
    this.#withoutId = new CallQueue();
  }

  add(call: OpenCall): void {
    this.#inOrder.add(call);
    if (this.#byName) queueOf(this.#byName, call.name).add(call);
    if (!call.id) this.#withoutId.add(call);
    else if (this.#byId.has(call.id)) queueOf(this.#reused, call.id).add(call);
    else this.#byId.set(call.id, call);
  }

  /** Takes the call of a result: the oldest one that matches. */
  take(id: string | undefined, name: string | undefined): OpenCall | undefined {
    if (id) return this.#takeById(id) ?? this.#withoutId.take();
    return this.#takeByName(name) ?? this.#inOrder.take();
  }

  /**
   * Takes the request of a call that was executed: by its id, or by the tool's name and, if there are several, the
   * arguments. Order alone proves nothing here.
   */
  takeRequest(id: string | undefined, name: string | undefined, args?: ToolStep['arguments']): OpenCall | undefined {
    return (id ? this.#takeById(id) : undefined) ?? this.#takeByName(name, args);
  }

  #takeById(id: string): OpenCall | undefined {
    const first = this.#byId.get(id);
    if (first) {
      const next = this.#reused.get(id)?.take();
      if (next) this.#byId.set(id, next);
      else this.#byId.delete(id);
      return isPending(first) ? first : this.#takeById(id);
    }
    const earlier = this.#earlier.get(id);
    this.#earlier.delete(id);
    return earlier;
  }

  #takeByName(name: string | undefined, args?: ToolStep['arguments']): OpenCall | undefined {
    if (name === undefined) return undefined;
    if (!this.#byName) {
      this.#byName = new Map();
      for (const call of this.#inOrder.waiting()) queueOf(this.#byName, call.name).add(call);
    }
    return this.#byName.get(name)?.take(args);
  }
}

class CallQueue {
  readonly #calls: OpenCall[] = [];
  #next = 0;

  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  add(call: OpenCall): void {
    this.#calls.push(call);
  }

  /** Takes the next call without a result, or one with the given arguments if there is one. */
  take(args?: ToolStep['arguments']): OpenCall | undefined {
    const same = args === undefined ? undefined : this.#next50().find((call) => hasSameArguments(call.arguments, args));
    if (same) return same;
    while (this.#next < this.#calls.length) {
      const call = this.#calls[this.#next++];
      if (call && isPending(call)) return call;
    }
    return undefined;
  }

  /** Models do not request more calls at once, and searching all would be quadratic. */
  #next50(): readonly OpenCall[] {
    return this.#calls.slice(this.#next, this.#next + 50).filter(isPending);
  }

  waiting(): readonly OpenCall[] {
    return this.#calls.slice(this.#next).filter(isPending);
  }
}

function hasSameArguments(a: ToolStep['arguments'], b: ToolStep['arguments']): boolean {
  try {
    return jsonEqual(a, b);
  } catch {
    // Nested too deeply to be compared.
    return false;
  }
}

function isPending(call: OpenCall): boolean {
  return call.outcome === 'missing';
}

function queueOf(queues: Map<string, CallQueue>, key: string): CallQueue {
  let queue = queues.get(key);
  if (!queue) {
    queue = new CallQueue();
    queues.set(key, queue);
  }
  return queue;
}
