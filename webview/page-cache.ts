import { RequestCancelled } from '../src/protocol/panel.ts';

/** A page of a list, or the error from loading it. */
export type Page<Row> = { readonly rows: readonly Row[] } | { readonly failed: string };

/** Fetches `count` rows starting at `from`. */
type FetchPage<Row> = (from: number, count: number, signal: AbortSignal) => Promise<readonly Row[]>;

const MAX_REQUESTS = 2;
/** The maximum number of pages others that are not visible. */
const MAX_PAGES = 24;

/**
 * Loads the visible pages of a long list. Pages that have not been visible for a long time are dropped; stale pages are
 * fetched again and stay until the new rows arrive.
 */
export class PageCache<Row> {
  readonly size: number;
  readonly #fetch: FetchPage<Row>;
  readonly #onChange: () => void;
  /** In the order they were loaded. */
  #pages: ReadonlyMap<number, Page<Row>> = new Map();
  readonly #stale = new Set<number>();
  readonly #inFlight = new Map<number, AbortController>();
  #visiblePages: readonly number[] = [];

  /** @param onChange called when `pages` changes. */
  constructor(size: number, fetch: FetchPage<Row>, onChange: () => void) {
    this.size = size;
    this.#fetch = fetch;
    this.#onChange = onChange;
  }

  /** A new object after every change. */
  get pages(): ReadonlyMap<number, Page<Row>> {
    return this.#pages;
  }

  /** Sets which rows are visible, aborts requests for other pages and loads what is missing. */
  setVisible(rows: readonly number[]): void {
    this.#visiblePages = [...new Set(rows.map((row) => Math.floor(row / this.size)))];
    for (const [page, controller] of this.#inFlight) if (!this.#visiblePages.includes(page)) controller.abort();
    this.#loadMissing();
  }

  /** Marks rows as stale; null: all of them. */
  refresh(rows: readonly number[] | null): void {
    const pages = rows === null ? [...this.#pages.keys()] : rows.map((row) => Math.floor(row / this.size));
    for (const page of pages) this.#stale.add(page);
    // A running request may return rows from before the change.
    for (const [page, controller] of this.#inFlight) if (rows === null || this.#stale.has(page)) controller.abort();
    this.#loadMissing();
  }

  stop(): void {
    this.#visiblePages = [];
    for (const controller of this.#inFlight.values()) controller.abort();
  }

  #loadMissing(): void {
    for (const page of this.#visiblePages) {
      if (this.#inFlight.size >= MAX_REQUESTS) return;
      if (!this.#inFlight.has(page) && (!this.#pages.has(page) || this.#stale.has(page))) void this.#load(page);
    }
  }

  async #load(page: number): Promise<void> {
    const controller = new AbortController();
    this.#inFlight.set(page, controller);
    this.#stale.delete(page);
    try {
      const rows = await this.#fetch(page * this.size, this.size, controller.signal);
      this.#put(page, { rows: reuseRows(rows, this.#pages.get(page)) });
    } catch (error) {
      if (error instanceof RequestCancelled || controller.signal.aborted) this.#stale.add(page);
      else this.#put(page, { failed: error instanceof Error ? error.message : String(error) });
    }
    this.#inFlight.delete(page);
    this.#loadMissing();
  }

  #put(page: number, rows: Page<Row>): void {
    const others = [...this.#pages].filter(([known]) => known !== page);
    const spare = others.length - MAX_PAGES;
    const next = others.filter(([known], index) => index >= spare || this.#visiblePages.includes(known));
    this.#pages = new Map([...next, [page, rows]]);
    this.#onChange();
  }
}

/** Keeps the objects of equal rows, so that their components need not render again. */
function reuseRows<Row>(rows: readonly Row[], before: Page<Row> | undefined): readonly Row[] {
  if (!before || !('rows' in before)) return rows;
  return rows.map((row, index) => {
    const old = before.rows[index];
    return old !== undefined && JSON.stringify(old) === JSON.stringify(row) ? old : row;
  });
}
