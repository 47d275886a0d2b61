import { createHash } from 'node:crypto';
import { deflateSync, strToU8 } from 'fflate';
import { redactJsonValue, redactSecrets } from '../../core/secrets.ts';
import type { ValuePlace } from '../../protocol/report-page.ts';

/** Characters of JSON in a block, unless one value is larger. */
const BLOCK_LENGTH = 300_000;

interface Block {
  readonly number: number;
  /** Compressed, as base64. */
  readonly text: string;
}

/** Sessions whose values are in the same blocks. */
interface BlockGroup {
  /** Their keys. */
  readonly sessions: readonly string[];
  readonly blocks: readonly Block[];
  readonly size: number;
  /** Those with the largest are dropped first. */
  readonly rank: string;
}

/** Collects the values of a report in compressed blocks, within a limit. */
export class PageBlocks {
  readonly #limit: number;
  #size = 0;
  #number = 0;
  readonly #required = new GroupBuilder(() => this.#next());
  readonly #optional = new GroupBuilder(() => this.#next());
  readonly #kept: BlockGroup[] = [];
  /** Groups that may be dropped, by descending rank. */
  readonly #droppable: BlockGroup[] = [];
  readonly #dropped = new Set<string>();

  /** @param limit of all blocks, in bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The sessions that were dropped. */
  get dropped(): ReadonlySet<string> {
    return this.#dropped;
  }

  /** @param isOptional whether the session may be dropped where there is too much. */
  session<T>(key: string, isOptional: boolean, write: (store: (value: unknown) => ValuePlace) => T): T {
    const builder = isOptional ? this.#optional : this.#required;
    const written = write((value) => builder.add(toJson(value)));
    builder.endSession(key);
    if (builder.isFull) this.#close(builder, isOptional);
    return written;
  }

  /** All blocks that are kept, by their numbers. */
  finish(): readonly Block[] {
    this.#close(this.#required, false);
    this.#close(this.#optional, true);
    return [...this.#kept, ...this.#droppable].flatMap(({ blocks }) => blocks).sort((a, b) => a.number - b.number);
  }

  #next(): number {
    this.#number += 1;
    return this.#number - 1;
  }

  #close(builder: GroupBuilder, isOptional: boolean): void {
    const group = builder.close();
    if (!group) return;
    this.#size += group.size;
    if (!isOptional) this.#kept.push(group);
    else {
      const at = this.#droppable.findIndex(({ rank }) => rank < group.rank);
      this.#droppable.splice(at < 0 ? this.#droppable.length : at, 0, group);
    }
    while (this.#size > this.#limit) {
      const dropped = this.#droppable.shift();
      if (!dropped) return;
      this.#size -= dropped.size;
      for (const session of dropped.sessions) this.#dropped.add(session);
    }
  }
}

class GroupBuilder {
  readonly #nextNumber: () => number;
  #number: number | null = null;
  #values: string[] = [];
  #length = 0;
  #blocks: Block[] = [];
  #sessions: string[] = [];

  constructor(nextNumber: () => number) {
    this.#nextNumber = nextNumber;
  }

  get isFull(): boolean {
    return this.#blocks.length > 0 || this.#length >= BLOCK_LENGTH;
  }

  add(json: string): ValuePlace {
    if (this.#length >= BLOCK_LENGTH) this.#endBlock();
    this.#number ??= this.#nextNumber();
    this.#values.push(json);
    this.#length += json.length;
    return [this.#number, this.#values.length - 1];
  }

  endSession(key: string): void {
    this.#sessions.push(key);
  }

  close(): BlockGroup | null {
    this.#endBlock();
    if (this.#sessions.length === 0) return null;
    const sessions = this.#sessions;
    const blocks = this.#blocks;
    const size = blocks.reduce((sum, { text }) => sum + text.length, 0);
    this.#sessions = [];
    this.#blocks = [];
    return { sessions, blocks, size, rank: createHash('sha256').update(sessions.join('\n')).digest('hex') };
  }

  #endBlock(): void {
    if (this.#number === null) return;
    this.#blocks.push({ number: this.#number, text: compress(`[${this.#values.join(',\n')}]`) });
    this.#number = null;
    this.#values = [];
    this.#length = 0;
  }
}

/** The same bytes on every machine, unlike those of the compression in Node, which depend on the processor. */
export function compress(text: string): string {
  return Buffer.from(deflateSync(strToU8(text), { level: 6 })).toString('base64');
}

/** Keys that are no names of secrets. */
const OWN_KEYS: ReadonlySet<string> = new Set(['key', 'pointer', 'tokens']);

/** Without secrets. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (name, part: unknown) =>
    OWN_KEYS.has(name) && typeof part === 'string' ? redactSecrets(part) : redactJsonValue(name, part),
  );
}
