import type { PanelEvent } from '../src/protocol/panel.ts';

/** A request of the app and the editor's response. */
interface RecordedResult {
  readonly method: string;
  readonly params: unknown;
  readonly result: unknown;
}

/** All rows of a paged list; the parameters omit the page range. */
interface RecordedRows {
  readonly method: string;
  readonly params: object;
  readonly rows: readonly unknown[];
}

/** A whole text that the app fetches in parts; the parameters omit the range. */
interface RecordedText {
  readonly method: string;
  readonly params: object;
  readonly text: string;
}

export type RecordedRequest = RecordedResult | RecordedRows | RecordedText;

/** What the page around a recorded report can inspect and control. */
export interface Recording {
  /** Recorded responses; the last one for a request wins. Other requests fail. */
  log: readonly RecordedRequest[];
  /** Answers requests that were not recorded. */
  readonly ask?: (method: string, params: unknown) => Promise<unknown>;
  /** Strings in the language of the editor, as JSON. */
  readonly translations?: string;
  /** All requests of the app, in order. */
  readonly requests: { readonly method: string; readonly params: unknown }[];
  /** Replaces the log and notifies the app of the changed turns. */
  change(log: readonly RecordedRequest[], turns?: readonly number[]): void;
  /** Sends the app an event, as the editor does. */
  notify(event: PanelEvent): void;
  /** Shows another theme, as the editor does. */
  setTheme(theme: ThemeKind): void;
}

export type ThemeKind = 'light' | 'dark' | 'hc-light' | 'hc-dark';

interface PageRange {
  readonly from: number;
  readonly count: number;
}

/** @returns undefined if no such request was recorded. */
export function findAnswer(log: readonly RecordedRequest[], method: string, params: unknown): unknown {
  const { rest, part } = splitPageRange(params);
  const [exact, without] = [canonical(params), canonical(rest)];
  const record = log.findLast(
    (request) => request.method === method && canonical(request.params) === ('result' in request ? exact : without),
  );
  if (!record) return;
  if ('result' in record) return record.result;
  const { from, count } = part;
  if ('rows' in record) {
    const rows = record.rows.slice(from, from + count);
    const total = record.rows.length;
    return { rows, total, omitted: Math.max(0, total - from - rows.length) };
  }
  const text = record.text.slice(from, from + count);
  return { excerpt: { text, omitted: Math.max(0, record.text.length - from - text.length) } };
}

/** Separates the page range from the other parameters. */
function splitPageRange(params: unknown): { rest: unknown; part: PageRange } {
  if (typeof params !== 'object' || params === null) return { rest: params, part: { from: 0, count: 0 } };
  const { from, count, offset, limit, ...rest } = { ...NO_PAGE_RANGE, ...params };
  return { rest, part: { from: Number(from ?? offset ?? 0), count: Number(count ?? limit ?? 0) } };
}

const NO_PAGE_RANGE = { from: undefined, count: undefined, offset: undefined, limit: undefined };

/** Serializes a value so that equal objects give equal strings, whatever the order of their keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
