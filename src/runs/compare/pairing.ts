import type { RunComparison } from '../../core/run-comparison.ts';
import type { RecordedSession } from '../../core/run-record.ts';

/** What sessions are paired by. */
export type PairableSession = Pick<RecordedSession, 'id' | 'task' | 'inputs' | 'content'>;

/** A session in both runs. */
export interface SessionPair<Row = RecordedSession> {
  readonly before: Row;
  readonly after: Row;
}

/** A task of both runs, or a session without a task. */
export interface TaskPair<Row = RecordedSession> {
  /** As the second run names it; null for a session without a task. */
  readonly task: string | null;
  readonly pairedBy: RunComparison['flips'][number]['pairedBy'];
  /** All of its sessions in each run: one may have more attempts. */
  readonly before: readonly Row[];
  readonly after: readonly Row[];
  /** The same attempt in both. */
  readonly pairs: readonly SessionPair<Row>[];
}

export interface Pairing<Row = RecordedSession> {
  readonly tasks: readonly TaskPair<Row>[];
  readonly renamed: RunComparison['pairing']['renamed'];
  /** Tasks of one name whose users write something else. They are in neither `tasks` nor `only`. */
  readonly changed: readonly string[];
  /** What only the first, and what only the second run has, in its order. */
  readonly only: readonly [before: readonly TaskSessions<Row>[], after: readonly TaskSessions<Row>[]];
}

/** The sessions of one task in one run. */
export interface TaskSessions<Row = RecordedSession> {
  readonly task: string | null;
  readonly sessions: readonly Row[];
}

/**
 * Pairs the tasks of two runs: by dataset and id, else by what their users write, and sessions without a task at last by their
 * id. Within a task, attempts of the same number belong together, the others in their order.
 */
export function pairRuns<Row extends PairableSession>(before: readonly Row[], after: readonly Row[]): Pairing<Row> {
  const [ofBefore = new Map<never, never>(), ofAfter = new Map<never, never>()] = tasksOfRuns([before, after]);
  const matches = matchTasks(ofBefore, ofAfter);
  const matched = new Set(Array.from(matches.values(), ({ key }) => key));
  const tasks = Array.from(matches, ([own, { key, pairedBy }]): TaskPair<Row> & { readonly oldName: string | null } => {
    const { task: oldName, sessions: older } = ofBefore.get(key) ?? NO_SESSIONS;
    const { task, sessions } = ofAfter.get(own) ?? NO_SESSIONS;
    return { task, oldName, pairedBy, before: older, after: sessions, pairs: pairAttempts(older, sessions) };
  });
  const isChanged = changedTasks(tasks);
  return {
    tasks: tasks.filter((pair) => !isChanged(pair)),
    renamed: tasks.flatMap(({ oldName, task }) =>
      oldName !== null && task !== null && oldName !== task ? [{ before: oldName, after: task }] : [],
    ),
    changed: tasks.filter(isChanged).flatMap(({ task }) => task ?? []),
    only: [
      Array.from(ofBefore).flatMap(([key, sessions]) => (matched.has(key) ? [] : [sessions])),
      Array.from(ofAfter).flatMap(([key, sessions]) => (matches.has(key) ? [] : [sessions])),
    ],
  };
}

const NO_SESSIONS: TaskSessions<never> = { task: null, sessions: [] };

type Tasks = ReadonlyMap<string, TaskSessions<PairableSession>>;

/** By task of the second run, in its order: the task of the first, and what they have in common. */
function matchTasks(before: Tasks, after: Tasks): ReadonlyMap<string, { key: string; pairedBy: TaskPair['pairedBy'] }> {
  const matches = new Map<string, { key: string; pairedBy: TaskPair['pairedBy'] }>();
  const matched = new Set<string>();
  for (const [pairedBy, sharedOf] of SHARED) {
    const candidates = uniqueTasks(before, matched, sharedOf);
    for (const [shared, own] of uniqueTasks(after, matches, sharedOf)) {
      const key = candidates.get(shared) ?? null;
      if (own === null || key === null) continue;
      matched.add(key);
      matches.set(own, { key, pairedBy });
    }
  }
  const ordered: typeof matches = new Map();
  for (const own of after.keys()) {
    const match = matches.get(own);
    if (match) ordered.set(own, match);
  }
  return ordered;
}

/** What tells a task in another run, the surest first; null where it tells nothing. */
const SHARED: readonly (readonly [
  TaskPair['pairedBy'],
  (sessions: TaskSessions<PairableSession>, key: string) => string | null,
])[] = [
  ['task', ({ task }, key) => (task === null ? null : key)],
  ['inputs', commonInputs],
  [
    'session',
    ({ task, sessions: [first, ...others] }) => (task === null && others.length === 0 ? (first?.id ?? null) : null),
  ],
];

/** Tasks that are not matched yet, by what tells them; null where two have it in common. */
function uniqueTasks(
  tasks: Tasks,
  matched: { has(key: string): boolean },
  sharedOf: (sessions: TaskSessions<PairableSession>, key: string) => string | null,
): ReadonlyMap<string, string | null> {
  const unique = new Map<string, string | null>();
  for (const [key, sessions] of tasks) {
    const shared = matched.has(key) ? null : sharedOf(sessions, key);
    if (shared !== null) unique.set(shared, unique.has(shared) ? null : key);
  }
  return unique;
}

/**
 * The sessions of each run by task. The agent tells tasks apart only where one of the runs has several: two runs of different
 * agents have their tasks in common.
 */
export function tasksOfRuns<Row extends PairableSession>(
  runs: readonly (readonly Row[])[],
): ReadonlyMap<string, TaskSessions<Row>>[] {
  const hasSeveralAgents = runs.some((rows) => new Set(rows.flatMap(({ task }) => task?.agent ?? [])).size > 1);
  return runs.map((rows) => {
    const groups = new Map<string, { task: string | null; sessions: Row[] }>();
    for (const row of rows) {
      const { id, task, inputs } = row;
      const key = JSON.stringify(
        task ? [task.dataset, hasSeveralAgents ? task.agent : null, task.id] : inputs === '' ? { id } : inputs,
      );
      const group = groups.get(key);
      if (group) group.sessions.push(row);
      else groups.set(key, { task: task && taskName(task, hasSeveralAgents), sessions: [row] });
    }
    return groups;
  });
}

function taskName({ dataset, id, agent }: NonNullable<RecordedSession['task']>, withAgent: boolean): string {
  return [dataset, id, withAgent ? agent : null].filter((part) => part !== null).join(' · ');
}

/** What the user writes in all sessions; null where sessions differ, or where nothing recorded it. */
function commonInputs({ sessions: [first, ...others] }: TaskSessions<PairableSession>): string | null {
  if (!first || first.inputs === '') return null;
  return others.every(({ inputs }) => inputs === first.inputs) ? first.inputs : null;
}

/**
 * A simulated user writes something else in every attempt, so that other texts alone do not make another task. They do where
 * the attempts of both runs agree among themselves: in most tasks, or in several attempts of this one.
 */
function changedTasks(tasks: readonly TaskPair<PairableSession>[]): (pair: TaskPair<PairableSession>) => boolean {
  const byTask = tasks.filter(({ pairedBy }) => pairedBy === 'task');
  const texts = (pair: TaskPair<PairableSession>) =>
    [pair.before, pair.after].map((sessions) => commonInputs({ task: pair.task, sessions }));
  const same = byTask.filter((pair) => {
    const [before, after] = texts(pair);
    return before !== null && before === after;
  }).length;
  const isScripted = 2 * same >= byTask.length;
  return (pair) => {
    if (pair.pairedBy !== 'task') return false;
    const [before, after] = texts(pair);
    if (before === null || after === null || before === after) return false;
    return isScripted || (pair.before.length > 1 && pair.after.length > 1);
  };
}

/** Attempts of the same number; then those with the same content; then the others in their order. */
function pairAttempts<Row extends PairableSession>(before: readonly Row[], after: readonly Row[]): SessionPair<Row>[] {
  const partners = new Map<Row, Row>();
  const rest = new Set(before);
  const match = (keyOf: (row: Row) => string | null) => {
    const byKey = Map.groupBy([...rest].reverse(), keyOf);
    for (const row of after) {
      const key = partners.has(row) ? null : keyOf(row);
      const partner = key === null ? undefined : byKey.get(key)?.pop();
      if (!partner) continue;
      partners.set(row, partner);
      rest.delete(partner);
    }
  };
  match(({ task }) => task?.trial ?? null);
  match(({ content }) => (content === '' ? null : content));
  match(() => '');
  return after.flatMap((row) => {
    const partner = partners.get(row);
    return partner ? [{ before: partner, after: row }] : [];
  });
}
