import { LruCache } from '../../core/cache/lru-cache.ts';
import { memoizeWeak } from '../../core/cache/memoize.ts';
import type { OverviewQuery } from '../../protocol/sessions-overview.ts';
import { filterSessions, sortSessions } from '../../report-model/sessions-table.ts';
import { isInside } from '../disk/paths.ts';
import type { EvaluationResults } from '../results/evaluation-results.ts';
import type { SessionResultsView } from '../results/session-results-view.ts';
import { type OverviewEntry, overviewEntry } from './entries.ts';

/** How many sorted lists are kept: those of the panels that are scrolled. */
const CAPACITY = 8;

/** The sorted and filtered lists of sessions, each computed once until the results change. */
export class SessionListing {
  readonly #results: Pick<EvaluationResults, 'all'>;
  readonly #entryOf = memoizeWeak(overviewEntry);
  readonly #lists = new LruCache<string, readonly OverviewEntry[]>(CAPACITY);
  #listed: readonly SessionResultsView[] = [];

  constructor(results: Pick<EvaluationResults, 'all'>) {
    this.#results = results;
  }

  /** The sessions of a file or a folder, in the order of their files. @param path null: all sessions. */
  inScope(path: string | null): readonly OverviewEntry[] {
    return this.#list(JSON.stringify([path]), () => {
      const views = this.#results.all.filter(
        ({ files }) => path === null || files.some((file) => file === path || isInside(file, path)),
      );
      return views.map(this.#entryOf).sort(byPosition);
    });
  }

  /** The sessions of the scope that match, sorted. */
  find(path: string | null, { sort, filter }: OverviewQuery): readonly OverviewEntry[] {
    const { kinds, label, rule, text } = filter;
    const key = JSON.stringify([path, sort.column, sort.isReversed, kinds, label, rule, text]);
    return this.#list(key, () => sortSessions(filterSessions(this.inScope(path), filter), sort));
  }

  #list(key: string, compute: () => readonly OverviewEntry[]): readonly OverviewEntry[] {
    const { all } = this.#results;
    if (all !== this.#listed) {
      this.#lists.clear();
      this.#listed = all;
    }
    const known = this.#lists.get(key);
    if (known) return known;
    const entries = compute();
    this.#lists.set(key, entries);
    return entries;
  }
}

function byPosition({ view: a }: OverviewEntry, { view: b }: OverviewEntry): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  const [{ line, character }, other] = [a.row.location.range.start, b.row.location.range.start];
  return line - other.line || character - other.character;
}
