import { RequestCancelled } from '../src/protocol/panel.ts';

/** A part of a list, or why it is not here. */
export type Page<Row> = { readonly rows: readonly Row[] } | { readonly failed: string };

/** Asks for rows, from one on. */
type FetchPage<Row> = (from: number, count: number, signal: AbortSignal) => Promise<readonly Row[]>;

/** At most so many pages are asked for at once, and so many are kept that nobody looks at. */
const MAX_REQUESTS = 2;
const MAX_PAGES = 24;

/**
 * The rows of a long list, of which those that somebody looks at are here. What was looked at before and not any more
 * is forgotten; what may be another is asked for again, and stays until the answer is here.
 */
export class PageCache<Row> {
  readonly size: number;
  readonly #fetch: FetchPage<Row>;
  readonly #onChange: () => void;
  /** In the order in which they were last wanted. */
  #pages: ReadonlyMap<number, Page<Row>> = new Map();
  readonly #stale = new Set<number>();
  readonly #asked = new Map<number, AbortController>();
  #wanted: readonly number[] = [];

  /** @param onChange there are other rows than before. */
  constructor(size: number, fetch: FetchPage<Row>, onChange: () => void) {
    this.size = size;
    this.#fetch = fetch;
    this.#onChange = onChange;
  }

  /** Another object whenever something in it has changed. */
  get pages(): ReadonlyMap<number, Page<Row>> {
    return this.#pages;
  }

  /** Somebody looks at these rows, and at no others. */
  setVisible(rows: readonly number[]): void {
    this.#wanted = [...new Set(rows.map((row) => Math.floor(row / this.size)))];
    for (const [page, stop] of this.#asked) if (!this.#wanted.includes(page)) stop.abort();
    this.#ask();
  }

  /** Rows may be others than they were; null: all of them. */
  refresh(rows: readonly number[] | null): void {
    const pages = rows === null ? [...this.#pages.keys()] : rows.map((row) => Math.floor(row / this.size));
    for (const page of pages) this.#stale.add(page);
    // What is on its way may have been said before.
    for (const [page, stop] of this.#asked) if (rows === null || this.#stale.has(page)) stop.abort();
    this.#ask();
  }

  stop(): void {
    this.#wanted = [];
    for (const stop of this.#asked.values()) stop.abort();
  }

  #ask(): void {
    for (const page of this.#wanted) {
      if (this.#asked.size >= MAX_REQUESTS) return;
      if (!this.#asked.has(page) && (!this.#pages.has(page) || this.#stale.has(page))) void this.#load(page);
    }
  }

  async #load(page: number): Promise<void> {
    const stop = new AbortController();
    this.#asked.set(page, stop);
    this.#stale.delete(page);
    try {
      const rows = await this.#fetch(page * this.size, this.size, stop.signal);
      this.#put(page, { rows: reuseRows(rows, this.#pages.get(page)) });
    } catch (error) {
      if (error instanceof RequestCancelled || stop.signal.aborted) this.#stale.add(page);
      else this.#put(page, { failed: error instanceof Error ? error.message : String(error) });
    }
    this.#asked.delete(page);
    this.#ask();
  }

  #put(page: number, rows: Page<Row>): void {
    const kept = [...this.#pages].filter(([known]) => known !== page);
    const spare = kept.length - MAX_PAGES;
    const next = kept.filter(([known], index) => index >= spare || this.#wanted.includes(known));
    this.#pages = new Map([...next, [page, rows]]);
    this.#onChange();
  }
}

/** Rows that say the same stay the same objects: what shows them need not be drawn again. */
function reuseRows<Row>(rows: readonly Row[], before: Page<Row> | undefined): readonly Row[] {
  if (!before || !('rows' in before)) return rows;
  return rows.map((row, index) => {
    const old = before.rows[index];
    return old !== undefined && JSON.stringify(old) === JSON.stringify(row) ? old : row;
  });
}
