import { LruCache } from '../../core/cache/lru-cache.ts';
import { memoizeWeak } from '../../core/cache/memoize.ts';
import { overviewEntry } from '../../panel/overview/entries.ts';
import { groupTasks } from '../../panel/overview/summary.ts';
import { overviewTable, type TasksBySession, tasksBySession } from '../../panel/overview/table.ts';
import type { OverviewQuery } from '../../protocol/sessions-overview.ts';
import type { AttemptGroups } from '../../report-model/session-attempts.ts';
import { filterSessions, type SessionEntry, sortSessions } from '../../report-model/sessions-table.ts';
import { isInside } from '../disk/paths.ts';
import type { EvaluationResults } from '../results/evaluation-results.ts';
import type { SessionResultsView } from '../results/session-results-view.ts';

/** How many sorted lists are kept: those of the panels that are scrolled. */
const CAPACITY = 8;

/** A session in the overview. */
export interface ListedSession extends SessionEntry {
  readonly view: SessionResultsView;
}

/** The tasks of a list of sessions. */
interface OverviewTasks extends AttemptGroups {
  readonly bySession: TasksBySession;
}

interface TableOfSessions {
  /** Sessions that match. */
  readonly matching: number;
  readonly rows: ReturnType<typeof overviewTable<ListedSession>>;
}

/** The sorted and filtered lists of sessions, each computed once until the results change. */
export class SessionListing {
  readonly #results: Pick<EvaluationResults, 'all'>;
  readonly #entryOf = memoizeWeak(listedSession);
  readonly #tasksOf = memoizeWeak(groupListed);
  readonly #scopes = new LruCache<string | null, readonly ListedSession[]>(CAPACITY);
  readonly #sorted = new LruCache<string, readonly ListedSession[]>(CAPACITY);
  readonly #tables = new LruCache<string, TableOfSessions>(CAPACITY);
  #listed: readonly SessionResultsView[] = [];

  constructor(results: Pick<EvaluationResults, 'all'>) {
    this.#results = results;
  }

  /** The sessions of a file or a folder, in the order of their files. @param path null: all sessions. */
  inScope(path: string | null): readonly ListedSession[] {
    return this.#once(this.#scopes, path, () => {
      const views = this.#results.all.filter(
        ({ files }) => path === null || files.some((file) => file === path || isInside(file, path)),
      );
      return views.map(this.#entryOf).sort(byPosition);
    });
  }

  /** The tasks of the scope that have several attempts. */
  tasks(path: string | null): OverviewTasks {
    return this.#tasksOf(this.inScope(path));
  }

  /** The sessions of the scope that match, sorted. */
  find(path: string | null, { sort, filter }: Pick<OverviewQuery, 'sort' | 'filter'>): readonly ListedSession[] {
    const { kinds, label, rule, text } = filter;
    const key = JSON.stringify([path, sort.column, sort.isReversed, kinds, label, rule, text]);
    return this.#once(this.#sorted, key, () => sortSessions(filterSessions(this.inScope(path), filter), sort));
  }

  /** The rows of the table: sessions, and tasks in place of their attempts. */
  table(path: string | null, query: OverviewQuery): TableOfSessions {
    return this.#once(this.#tables, JSON.stringify([path, query]), () => {
      const found = this.find(path, query);
      const rows = overviewTable(found, query.isGrouped ? this.tasks(path).bySession : new Map(), query);
      return { matching: found.length, rows };
    });
  }

  #once<Key, Value>(cache: LruCache<Key, Value>, key: Key, compute: () => Value): Value {
    const { all } = this.#results;
    if (all !== this.#listed) {
      for (const one of [this.#scopes, this.#sorted, this.#tables]) one.clear();
      this.#listed = all;
    }
    const known = cache.get(key);
    if (known !== undefined) return known;
    const value = compute();
    cache.set(key, value);
    return value;
  }
}

function listedSession(view: SessionResultsView): ListedSession {
  return { view, ...overviewEntry(view, view.failures) };
}

function groupListed(entries: readonly ListedSession[]): OverviewTasks {
  const groups = groupTasks(entries.map(({ view }) => view));
  return { ...groups, bySession: tasksBySession(groups.tasks) };
}

function byPosition({ view: a }: ListedSession, { view: b }: ListedSession): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  const [{ line, character }, other] = [a.row.location.range.start, b.row.location.range.start];
  return line - other.line || character - other.character;
}
