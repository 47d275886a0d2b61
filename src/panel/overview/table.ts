import type {
  OverviewEstimate,
  OverviewQuery,
  OverviewRow,
  OverviewSessionRow,
  OverviewTaskRow,
} from '../../protocol/sessions-overview.ts';
import {
  type SessionEntry,
  sortBySuccess,
  type TableRow,
  tableRows,
  worstKind,
} from '../../report-model/sessions-table.ts';
import { limitName, limitSentence } from '../values.ts';

/** Changes that a tooltip names. */
const MAX_LIKELY = 5;

/** The row of a session, wherever it is in the table. */
export type OverviewSession = Omit<OverviewSessionRow, 'isAttempt' | 'standsOut'>;

/** The attempts of a task, as far as the table shows them. */
export interface OverviewTask {
  readonly name: string;
  /** The keys of the sessions. */
  readonly sessions: readonly string[];
  readonly succeeded: number;
  readonly known: number;
  readonly estimates: readonly OverviewEstimate[];
  readonly strategy: number | null;
  readonly agreement: {
    readonly attempts: number;
    readonly agreeing: number;
    /** The keys of the sessions. */
    readonly standOut: readonly string[];
    readonly likely: readonly string[] | null;
  } | null;
}

/** The tasks of sessions that have several attempts, by the keys of the sessions. */
export type TasksBySession = ReadonlyMap<string, OverviewTask>;

export function tasksBySession(tasks: readonly OverviewTask[]): TasksBySession {
  return new Map(tasks.flatMap((task) => task.sessions.map((key) => [key, task] as const)));
}

/** The rows of the table: sessions, and tasks in place of their attempts. @param found those that match, sorted. */
export function overviewTable<Entry extends SessionEntry>(
  found: readonly Entry[],
  tasks: TasksBySession,
  { sort, isGrouped, expanded }: Pick<OverviewQuery, 'sort' | 'isGrouped' | 'expanded'>,
): readonly TableRow<Entry, OverviewTask>[] {
  const taskOf = ({ key }: Entry) => (isGrouped ? tasks.get(key) : undefined);
  const isByTask = sort.column === 'outcome' && isGrouped && tasks.size > 0;
  const open = new Set(expanded);
  return tableRows(isByTask ? sortBySuccess(found, taskOf, sort.isReversed) : found, taskOf, (task) =>
    open.has(taskKey(task)),
  );
}

/** A row as the panel gets it. @param sessionOf the row of a session. */
export function overviewRow<Entry extends SessionEntry>(
  row: TableRow<Entry, OverviewTask>,
  tasks: TasksBySession,
  sessionOf: (entry: Entry) => OverviewSession,
): OverviewRow {
  if (row.type === 'task') return taskRow(row);
  const { entry, isAttempt } = row;
  const standsOut = tasks.get(entry.key)?.agreement?.standOut.includes(entry.key) ?? false;
  return { ...sessionOf(entry), isAttempt, standsOut };
}

function taskRow({
  task,
  matching,
  isExpanded,
}: Extract<TableRow<SessionEntry, OverviewTask>, { type: 'task' }>): OverviewTaskRow {
  const { name, sessions, succeeded, known, estimates, agreement, strategy } = task;
  return {
    type: 'task',
    key: taskKey(task),
    name: limitName(name),
    kind: worstKind(matching),
    attempts: sessions.length,
    matching: matching.length,
    succeeded,
    known,
    estimates,
    agreement: agreement && {
      attempts: agreement.attempts,
      agreeing: agreement.agreeing,
      standOut: agreement.standOut.length,
      likely: agreement.likely?.slice(0, MAX_LIKELY).map(limitSentence) ?? null,
    },
    strategy,
    isExpanded,
  };
}

/** A task is known by its first attempt. */
function taskKey({ sessions }: OverviewTask): string {
  return `task ${sessions[0] ?? ''}`;
}
