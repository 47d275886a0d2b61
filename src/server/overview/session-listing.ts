import { LruCache } from '../../core/cache/lru-cache.ts';
import { memoizeWeak } from '../../core/cache/memoize.ts';
import type { OverviewQuery } from '../../protocol/sessions-overview.ts';
import { type AttemptGroups, groupSessionAttempts, type TaskAttempts } from '../../report-model/session-attempts.ts';
import {
  filterSessions,
  sortBySuccess,
  sortSessions,
  type TableRow,
  tableRows,
} from '../../report-model/sessions-table.ts';
import { isInside } from '../disk/paths.ts';
import type { EvaluationResults } from '../results/evaluation-results.ts';
import type { SessionResultsView } from '../results/session-results-view.ts';
import { type OverviewEntry, overviewEntry } from './entries.ts';

/** How many sorted lists are kept: those of the panels that are scrolled. */
const CAPACITY = 8;

/** The tasks of a list of sessions. */
export interface OverviewTasks extends AttemptGroups {
  readonly bySession: ReadonlyMap<string, TaskAttempts>;
}

export type OverviewTableRow = TableRow<OverviewEntry, TaskAttempts>;

interface TableOfSessions {
  /** Sessions that match. */
  readonly matching: number;
  readonly rows: readonly OverviewTableRow[];
}

/** The sorted and filtered lists of sessions, each computed once until the results change. */
export class SessionListing {
  readonly #results: Pick<EvaluationResults, 'all'>;
  readonly #entryOf = memoizeWeak(overviewEntry);
  readonly #tasksOf = memoizeWeak(groupTasks);
  readonly #scopes = new LruCache<string | null, readonly OverviewEntry[]>(CAPACITY);
  readonly #sorted = new LruCache<string, readonly OverviewEntry[]>(CAPACITY);
  readonly #tables = new LruCache<string, TableOfSessions>(CAPACITY);
  #listed: readonly SessionResultsView[] = [];

  constructor(results: Pick<EvaluationResults, 'all'>) {
    this.#results = results;
  }

  /** The sessions of a file or a folder, in the order of their files. @param path null: all sessions. */
  inScope(path: string | null): readonly OverviewEntry[] {
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
  find(path: string | null, { sort, filter }: Pick<OverviewQuery, 'sort' | 'filter'>): readonly OverviewEntry[] {
    const { kinds, label, rule, text } = filter;
    const key = JSON.stringify([path, sort.column, sort.isReversed, kinds, label, rule, text]);
    return this.#once(this.#sorted, key, () => sortSessions(filterSessions(this.inScope(path), filter), sort));
  }

  /** The rows of the table: sessions, and tasks in place of their attempts. */
  table(path: string | null, query: OverviewQuery): TableOfSessions {
    return this.#once(this.#tables, JSON.stringify([path, query]), () => {
      const found = this.find(path, query);
      const { bySession } = query.isGrouped ? this.tasks(path) : NO_TASKS;
      const taskOf = ({ key }: OverviewEntry) => bySession.get(key);
      const { column, isReversed } = query.sort;
      const isByTask = column === 'outcome' && bySession.size > 0;
      const expanded = new Set(query.expanded);
      const rows = tableRows(isByTask ? sortBySuccess(found, taskOf, isReversed) : found, taskOf, (task) =>
        expanded.has(taskKey(task)),
      );
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

const NO_TASKS: Pick<OverviewTasks, 'bySession'> = { bySession: new Map() };

/** A task is known by its first attempt. */
export function taskKey({ sessions }: TaskAttempts): string {
  return `task ${sessions[0] ?? ''}`;
}

function groupTasks(entries: readonly OverviewEntry[]): OverviewTasks {
  const groups = groupSessionAttempts(
    entries.flatMap(({ key, view: { detail, row } }) =>
      detail.facts && row.turnsDone === null
        ? [{ key, report: detail.report, facts: detail.facts, gates: detail.gates }]
        : [],
    ),
  );
  const bySession = new Map(groups.tasks.flatMap((task) => task.sessions.map((key) => [key, task] as const)));
  return { ...groups, bySession };
}

function byPosition({ view: a }: OverviewEntry, { view: b }: OverviewEntry): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  const [{ line, character }, other] = [a.row.location.range.start, b.row.location.range.start];
  return line - other.line || character - other.character;
}
