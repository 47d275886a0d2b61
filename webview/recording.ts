import type { PanelEvent } from '../src/protocol/panel.ts';

/** A question of the app and what the editor answered. */
interface RecordedResult {
  readonly method: string;
  readonly params: unknown;
  readonly result: unknown;
}

/** All rows of a list that the app asks for in parts; the parameters are without those of the part. */
interface RecordedRows {
  readonly method: string;
  readonly params: object;
  readonly rows: readonly unknown[];
}

/** A whole text that the app asks for in parts. */
interface RecordedText {
  readonly method: string;
  readonly params: object;
  readonly text: string;
}

export type RecordedRequest = RecordedResult | RecordedRows | RecordedText;

/** What the page around a recorded report can see and do. */
export interface Recording {
  /**
   * What is answered. The last record of a question counts; what is not in it was not recorded, and the app is told so.
   */
  log: readonly RecordedRequest[];
  /** Answers what was not recorded, where something does. */
  readonly ask?: (method: string, params: unknown) => Promise<unknown>;
  /** What the app asked, in order. */
  readonly requests: { readonly method: string; readonly params: unknown }[];
  /** Answers from another log from here on, and tells the app which turns are others. */
  change(log: readonly RecordedRequest[], turns?: readonly number[]): void;
  /** Tells the app something, as the editor does. */
  notify(event: PanelEvent): void;
}

interface PageRange {
  readonly from: number;
  readonly count: number;
}

/** @returns undefined where nothing like it was recorded. */
export function findAnswer(log: readonly RecordedRequest[], method: string, params: unknown): unknown {
  const { rest, part } = splitPageRange(params);
  const [exact, without] = [canonical(params), canonical(rest)];
  const found = log.findLast(
    (one) => one.method === method && canonical(one.params) === ('result' in one ? exact : without),
  );
  if (!found) return;
  if ('result' in found) return found.result;
  const { from, count } = part;
  if ('rows' in found) {
    const rows = found.rows.slice(from, from + count);
    const total = found.rows.length;
    return { rows, total, omitted: Math.max(0, total - from - rows.length) };
  }
  const text = found.text.slice(from, from + count);
  return { excerpt: { text, omitted: Math.max(0, found.text.length - from - text.length) } };
}

/** Parameters without those that say which part of a list is asked for. */
function splitPageRange(params: unknown): { rest: unknown; part: PageRange } {
  if (typeof params !== 'object' || params === null) return { rest: params, part: { from: 0, count: 0 } };
  const { from, count, offset, limit, ...rest } = { ...NO_PAGE_RANGE, ...params };
  return { rest, part: { from: Number(from ?? offset ?? 0), count: Number(count ?? limit ?? 0) } };
}

const NO_PAGE_RANGE = { from: undefined, count: undefined, offset: undefined, limit: undefined };

/** The same for objects that say the same, in whatever order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
