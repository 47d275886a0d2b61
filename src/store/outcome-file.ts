import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LruCache } from '../core/cache/lru-cache.ts';
import type { ResultsByMetric } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import type { OutcomeStorage } from '../engine/outcome-storage.ts';

type Contents = Pick<SessionOutcome, 'turns' | 'metrics'>;

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
  readonly #cache = new LruCache<number, Contents>(MAX_CACHED_TURNS);
  readonly #sharedResults: Result[] = [];
  readonly #sharedIndexes = new Map<Result, number>();
  #file: TemporaryFile | null = null;
  #turnsInMemory = 0;
  #isBroken = false;

  /** @param maxTurnsInMemory so many stay in memory. */
  constructor(maxTurnsInMemory = MAX_TURNS_IN_MEMORY) {
    this.#maxTurnsInMemory = maxTurnsInMemory;
  }

  put(outcome: SessionOutcome): SessionOutcome {
    this.#turnsInMemory += outcome.turns.length + 1;
    if (this.#isBroken || this.#turnsInMemory <= this.#maxTurnsInMemory) return outcome;
    const { turns, metrics, ...rest } = outcome;
    const stored = this.#write(this.#encode({ turns, metrics }));
    if (!stored) return outcome;
    const read = () => this.#read(stored);
    return {
      ...rest,
      get turns() {
        return read().turns;
      },
      get metrics() {
        return read().metrics;
      },
    };
  }

  #encode({ turns, metrics }: Contents): string {
    return JSON.stringify({
      turns: turns.map((turn) => ({ ...turn, metrics: this.#encodeResults(turn.metrics) })),
      metrics: this.#encodeResults(metrics),
    });
  }

  #encodeResults(results: ResultsByMetric): EncodedResults {
    return Object.fromEntries(Object.entries(results).map(([name, result]) => [name, this.#sharedIndex(result)]));
  }

  /** Frozen results are shared by many turns. */
  #sharedIndex(result: Result): Result | number {
    const known = this.#sharedIndexes.get(result);
    if (known !== undefined) return known;
    const index = this.#sharedResults.length;
    if (!Object.isFrozen(result) || index >= MAX_SHARED_RESULTS) return result;
    this.#sharedIndexes.set(result, index);
    this.#sharedResults.push(result);
    return index;
  }

  #write(text: string): StoredPart | null {
    try {
      this.#file ??= new TemporaryFile();
      return this.#file.append(Buffer.from(text));
    } catch {
      this.#isBroken = true;
      return null;
    }
  }

  #read(part: StoredPart): Contents {
    if (!this.#file) throw new Error('The results of this run were released.');
    const cached = this.#cache.get(part.start);
    if (cached) return cached;
    const { turns, metrics }: EncodedContents = JSON.parse(this.#file.read(part).toString());
    const contents = {
      turns: turns.map((turn) => ({ ...turn, metrics: this.#decodeResults(turn.metrics) })),
      metrics: this.#decodeResults(metrics),
    };
    this.#cache.set(part.start, contents, contents.turns.length + 1);
    return contents;
  }

  #decodeResults(encoded: EncodedResults): ResultsByMetric {
    const results: Record<string, Result> = {};
    for (const [name, value] of Object.entries(encoded)) {
      const result = typeof value === 'number' ? this.#sharedResults[value] : value;
      if (result) results[name] = result;
    }
    return results;
  }

  [Symbol.dispose](): void {
    this.#file?.[Symbol.dispose]();
    this.#file = null;
  }
}

type EncodedResults = Readonly<Record<string, Result | number>>;

interface EncodedContents {
  readonly turns: readonly (Omit<Contents['turns'][number], 'metrics'> & { readonly metrics: EncodedResults })[];
  readonly metrics: EncodedResults;
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
