import type * as z from 'zod/mini';
import type { DeepReadonly } from '../../core/deep-readonly.ts';
import type { ResultsByMetric } from '../../core/report.ts';
import type { Result } from '../../core/result.ts';
import type { encodedResultsSchema, framedResultSchema, sharedValueSchema } from './line-schemas.ts';

export type SharedValue = DeepReadonly<z.output<typeof sharedValueSchema>>;
type FramedResult = DeepReadonly<z.output<typeof framedResultSchema>>;
export type EncodedResults = DeepReadonly<z.output<typeof encodedResultsSchema>>;

/** What a reader must remember takes memory: beyond so many values, a new list begins. */
const MAX_VALUES = 20_000;

/** Shorter texts take no more than what refers to them. */
const MIN_TEXT = 60;

/** What turns have in common, collected while sessions are written. */
export class SharedValues {
  #numbers = new Map<string, number>();
  /** Most results of a run without a model are objects that turns share. */
  #results = new WeakMap<Result, number>();
  #count = 0;
  #unwritten: SharedValue[] = [];

  /** Begins a new list: what was written may be lost, or is too much to remember. */
  reset(): void {
    this.#numbers = new Map();
    this.#results = new WeakMap();
    this.#count = 0;
    this.#unwritten = [];
  }

  get isFull(): boolean {
    return this.#count > MAX_VALUES;
  }

  /** The values added since the last call, and the number of the first. */
  take(): { readonly from: number; readonly values: readonly SharedValue[] } {
    const values = this.#unwritten;
    this.#unwritten = [];
    return { from: this.#count - values.length, values };
  }

  text(text: string): number {
    return this.#add({ text });
  }

  results(results: ResultsByMetric): EncodedResults {
    const values: (number | FramedResult)[] = [];
    const shared = Object.values(results).map((result) => {
      const value = this.#result(result);
      if (typeof value === 'number' && result.score === null && result.label === null) return value;
      values.push(value);
      return null;
    });
    const names = this.#add({ names: Object.keys(results) });
    return [this.#add({ layout: [names, shared] }), ...values];
  }

  /** A result with evidence is that of one turn, and is not shared. */
  #result(result: Result): number | FramedResult {
    if (result.evidence.length > 0) return this.#framed(result);
    const known = this.#results.get(result);
    if (known !== undefined) return known;
    const number = this.#add({ result: this.#framed(result) });
    this.#results.set(result, number);
    return number;
  }

  #framed(result: Result): FramedResult {
    const { score, label, labels, reason, evidence, metadata, failures } = result;
    const empty = { score: null, label: null, labels: [], reason: null, evidence: [], metadata: {} };
    const frame = this.#add({ frame: { ...result, ...empty, ...(failures && { failures: [] }) } });
    const rest = {
      ...(score === null ? {} : { score }),
      ...(label === null ? {} : { label }),
      ...(labels.length === 0 ? {} : { labels }),
      ...(reason === null ? {} : { reason }),
      ...(evidence.length === 0 ? {} : { evidence }),
      ...this.#metadata(metadata),
      ...(failures && failures.length > 0 ? { failures } : {}),
    };
    return [frame, rest];
  }

  #metadata(metadata: Result['metadata']): Pick<FramedResult[1], 'metadata' | 'texts'> {
    const entries = Object.entries(metadata);
    if (entries.length === 0) return {};
    const isText = (value: unknown): value is string => typeof value === 'string' && value.length >= MIN_TEXT;
    const texts = entries.flatMap(([name, value]) => (isText(value) ? [[name, this.text(value)] as const] : []));
    if (texts.length === 0) return { metadata };
    const others = entries.map(([name, value]) => [name, isText(value) ? null : value]);
    return { metadata: Object.fromEntries(others), texts: Object.fromEntries(texts) };
  }

  #add(value: SharedValue): number {
    const key = JSON.stringify(value);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#count++;
    this.#numbers.set(key, number);
    this.#unwritten.push(value);
    return number;
  }
}

/** The same values while sessions are read. Every method throws where a number refers to nothing. */
export class SharedValueReader {
  readonly #values = new Map<number, SharedValue>();
  /** Turns share what is the same, so that many of them take little memory. */
  readonly #results = new Map<number, Result>();
  readonly #layouts = new Map<number, readonly [string, Result | null][]>();

  add(from: number, values: readonly SharedValue[]): void {
    if (from === 0) this.clear();
    values.forEach((value, index) => {
      this.#values.set(from + index, value);
    });
  }

  /** After a damaged line: numbers may refer to what was in it, and not to what had them before. */
  clear(): void {
    this.#values.clear();
    this.#results.clear();
    this.#layouts.clear();
  }

  text(number: number): string {
    const value = this.#values.get(number);
    if (!(value && 'text' in value)) throw new RangeError('A text is missing.');
    return value.text;
  }

  results([number, ...values]: EncodedResults): ResultsByMetric {
    let next = 0;
    const entries = this.#layout(number).map(([name, shared]): [string, Result] => {
      if (shared) return [name, shared];
      const value = values[next++];
      if (value === undefined) throw new RangeError('A result is missing.');
      return [name, typeof value === 'number' ? this.#shared(value) : this.#complete(value)];
    });
    return Object.fromEntries(entries);
  }

  #layout(number: number): readonly [string, Result | null][] {
    const known = this.#layouts.get(number);
    if (known) return known;
    const value = this.#values.get(number);
    if (!(value && 'layout' in value)) throw new RangeError('A list of metrics is missing.');
    const names = this.#values.get(value.layout[0]);
    if (!(names && 'names' in names)) throw new RangeError('Names of metrics are missing.');
    const results = value.layout[1];
    const layout = names.names.map((name, index): [string, Result | null] => {
      const result = results[index] ?? null;
      return [name, result === null ? null : this.#shared(result)];
    });
    this.#layouts.set(number, layout);
    return layout;
  }

  #shared(number: number): Result {
    const known = this.#results.get(number);
    if (known) return known;
    const value = this.#values.get(number);
    if (!(value && 'result' in value)) throw new RangeError('A result is missing.');
    const result = Object.freeze(this.#complete(value.result));
    this.#results.set(number, result);
    return result;
  }

  #complete([number, { texts, ...rest }]: FramedResult): Result {
    const value = this.#values.get(number);
    if (!(value && 'frame' in value)) throw new RangeError('The frame of a result is missing.');
    const result = { ...value.frame, ...rest };
    if (!texts) return result;
    const named = Object.entries(texts).map(([name, text]) => [name, this.text(text)]);
    return { ...result, metadata: { ...result.metadata, ...Object.fromEntries(named) } };
  }
}
