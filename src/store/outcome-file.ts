import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LruCache } from '../core/cache/lru-cache.ts';
import type { ResultsByMetric } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import type { OutcomeStorage } from '../engine/outcome-storage.ts';

/** Turns of outcomes that stay in memory: small runs write nothing. */
const MAX_TURNS_IN_MEMORY = 2000;

/** Contents that are kept after they were read: attempts of a task are read together, metric by metric. */
const MAX_CACHED_TURNS = 500;

/** Results that several turns share; more of them are stored with each turn. */
const MAX_SHARED_RESULTS = 20_000;

/**
 * Stores turns and metrics of outcomes in a private temporary file, which is gone with the process. Where it cannot be written,
 * such as on a full disk, outcomes stay in memory.
 */
export class OutcomeFile implements OutcomeStorage, Disposable {
  readonly #maxTurnsInMemory: number;
  readonly #turnsCache = new LruCache<number, SessionOutcome['turns']>(MAX_CACHED_TURNS);
  readonly #metricsCache = new LruCache<number, ResultsByMetric>(MAX_CACHED_TURNS);
  readonly #sharedResults: Result[] = [];
  readonly #sharedIndexes = new WeakMap<Result, number>();
  /** Parts of a run that are read from records have the same results as objects of their own. */
  readonly #indexesByContent = new Map<string, number>();
  /** The same for all outcomes: those with getters of their own take 1 kB more each. */
  readonly #getters: PropertyDescriptorMap;
  #file: TemporaryFile | null = null;
  #turnsInMemory = 0;
  #isBroken = false;

  /** @param maxTurnsInMemory so many stay in memory. */
  constructor(maxTurnsInMemory = MAX_TURNS_IN_MEMORY) {
    this.#maxTurnsInMemory = maxTurnsInMemory;
    const [readTurns, readMetrics] = [this.#readTurns.bind(this), this.#readMetrics.bind(this)];
    this.#getters = {
      turns: {
        get(this: StoredOutcome) {
          return readTurns(this[PARTS].turns);
        },
        enumerable: true,
      },
      metrics: {
        get(this: StoredOutcome) {
          return readMetrics(this[PARTS].metrics);
        },
        enumerable: true,
      },
    };
  }

  put(outcome: SessionOutcome): SessionOutcome {
    this.#turnsInMemory += outcome.turns.length + 1;
    if (this.#isBroken || this.#turnsInMemory <= this.#maxTurnsInMemory) return outcome;
    const { turns, metrics, ...rest } = outcome;
    // Apart: what compares attempts reads the metrics of a session and not its turns.
    const storedTurns = this.#write(turns.map((turn) => ({ ...turn, metrics: this.#encodeResults(turn.metrics) })));
    const storedMetrics = this.#write(this.#encodeResults(metrics));
    if (!storedTurns || !storedMetrics) return outcome;
    const stored: StoredOutcome = { ...rest, [PARTS]: { turns: storedTurns, metrics: storedMetrics } };
    defineGetters(stored, this.#getters);
    return stored;
  }

  #encodeResults(results: ResultsByMetric): EncodedResults {
    return Object.fromEntries(Object.entries(results).map(([name, result]) => [name, this.#sharedIndex(result)]));
  }

  /** Frozen results are shared by many turns. */
  #sharedIndex(result: Result): Result | number {
    const known = this.#sharedIndexes.get(result);
    if (known !== undefined) return known;
    if (!Object.isFrozen(result)) return result;
    const content = JSON.stringify(result);
    const index = this.#indexesByContent.get(content) ?? this.#sharedResults.length;
    if (index >= MAX_SHARED_RESULTS) return result;
    if (index === this.#sharedResults.length) {
      this.#indexesByContent.set(content, index);
      this.#sharedResults.push(result);
    }
    this.#sharedIndexes.set(result, index);
    return index;
  }

  #write(value: unknown): StoredPart | null {
    try {
      this.#file ??= new TemporaryFile();
      return this.#file.append(Buffer.from(JSON.stringify(value)));
    } catch {
      this.#isBroken = true;
      return null;
    }
  }

  #readTurns(part: StoredPart): SessionOutcome['turns'] {
    const file = this.#openFile();
    const cached = this.#turnsCache.get(part.start);
    if (cached) return cached;
    const encoded: readonly EncodedTurn[] = JSON.parse(file.read(part).toString());
    const turns = encoded.map((turn) => ({ ...turn, metrics: this.#decodeResults(turn.metrics) }));
    this.#turnsCache.set(part.start, turns, turns.length + 1);
    return turns;
  }

  #readMetrics(part: StoredPart): ResultsByMetric {
    const file = this.#openFile();
    const cached = this.#metricsCache.get(part.start);
    if (cached) return cached;
    const metrics = this.#decodeResults(JSON.parse(file.read(part).toString()));
    this.#metricsCache.set(part.start, metrics);
    return metrics;
  }

  #openFile(): TemporaryFile {
    if (!this.#file) throw new Error('The results of this run were released.');
    return this.#file;
  }

  #decodeResults(encoded: EncodedResults): ResultsByMetric {
    const results = Object.entries(encoded).flatMap(([name, value]) => {
      const result = typeof value === 'number' ? this.#sharedResults[value] : value;
      return result ? [[name, result] as const] : [];
    });
    // Imported scores can have any name, `__proto__` too.
    return Object.fromEntries(results);
  }

  [Symbol.dispose](): void {
    this.#file?.[Symbol.dispose]();
    this.#file = null;
  }
}

type EncodedResults = Readonly<Record<string, Result | number>>;

type EncodedTurn = Omit<SessionOutcome['turns'][number], 'metrics'> & { readonly metrics: EncodedResults };

/** Where what is not in memory is. */
const PARTS = Symbol('parts');

interface StoredOutcome extends Omit<SessionOutcome, 'turns' | 'metrics'> {
  readonly [PARTS]: Readonly<Record<'turns' | 'metrics', StoredPart>>;
}

function defineGetters(
  stored: StoredOutcome,
  getters: PropertyDescriptorMap,
): asserts stored is StoredOutcome & SessionOutcome {
  Object.defineProperties(stored, getters);
}

interface StoredPart {
  readonly start: number;
  readonly length: number;
}

/** A file that only this process can read; its name is removed at once where the system allows it. */
class TemporaryFile implements Disposable {
  readonly #folder: string;
  readonly #descriptor: number;
  #size = 0;

  /** @throws the system's error */
  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'turnwise-run-'));
    this.#descriptor = openSync(join(this.#folder, 'outcomes'), 'wx+', 0o600);
    this.#removeName();
  }

  /** @throws the system's error */
  append(bytes: Uint8Array): StoredPart {
    const start = this.#size;
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(this.#descriptor, bytes, written, bytes.length - written, start + written);
    }
    this.#size += bytes.length;
    return { start, length: bytes.length };
  }

  /** @throws the system's error */
  read({ start, length }: StoredPart): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let read = 0; read < length; ) {
      const count = readSync(this.#descriptor, bytes, read, length - read, start + read);
      if (count === 0) throw new Error('The temporary file of this run was cut off.');
      read += count;
    }
    return bytes;
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
    this.#removeName();
  }

  #removeName(): void {
    try {
      rmSync(this.#folder, { recursive: true, force: true });
    } catch {
      // Windows keeps the name of an open file.
    }
  }
}
