import type { TaskFiguresPair } from './compare-column.ts';
import type { TaskFigures } from './run-figures.ts';

export interface MatchedTasks {
  readonly pairs: readonly TaskFiguresPair[];
  readonly missing: readonly string[];
  readonly added: readonly string[];
  /** As the baseline names them: the name is the same, and the user writes something else. */
  readonly changed: readonly string[];
  readonly renamed: readonly string[];
}

type Tasks = ReadonlyMap<string, TaskFigures>;

/** Pairs tasks by name, else by what their users write. */
export function matchTasks(before: Tasks, after: Tasks): MatchedTasks {
  const sameName = Array.from(before).flatMap(([task, old]): TaskFiguresPair[] => {
    const now = after.get(task);
    return now ? [{ task, before: old, after: now }] : [];
  });
  const taken = new Set(sameName.map(({ task }) => task));
  const lost = Array.from(before).filter(([task]) => !taken.has(task));
  const fresh = Array.from(after).filter(([task]) => !taken.has(task));
  const byInputs = Map.groupBy(fresh, ([, { inputs }]) => inputs);
  const lostByInputs = Map.groupBy(lost, ([, { inputs }]) => inputs);
  const found = new Map<string, string>();
  for (const [task, { inputs }] of lost) {
    const [candidate, ...others] = inputs === null ? [] : (byInputs.get(inputs) ?? []);
    if (candidate && others.length === 0 && lostByInputs.get(inputs)?.length === 1) found.set(task, candidate[0]);
  }
  const renamed = lost.flatMap(([task, old]): TaskFiguresPair[] => {
    const now = after.get(found.get(task) ?? '');
    return now ? [{ task, before: old, after: now }] : [];
  });
  const isChanged = changedTasks(sameName);
  const newNames = new Set(found.values());
  return {
    pairs: [...sameName.filter((pair) => !isChanged(pair)), ...renamed],
    missing: lost.flatMap(([task]) => (found.has(task) ? [] : [task])),
    added: fresh.flatMap(([task]) => (newNames.has(task) ? [] : [task])),
    changed: sameName.filter(isChanged).map(({ task }) => task),
    renamed: [...found.keys()],
  };
}

/** A simulated user writes something else each time, so that other texts make another task only where most are the same. */
function changedTasks(pairs: readonly TaskFiguresPair[]): (pair: TaskFiguresPair) => boolean {
  const scripted = pairs.filter(({ before, after }) => before.inputs !== null && after.inputs !== null);
  const same = scripted.filter(({ before, after }) => before.inputs === after.inputs).length;
  const isScripted = 2 * same >= pairs.length;
  return ({ before, after }) =>
    before.inputs !== null &&
    after.inputs !== null &&
    before.inputs !== after.inputs &&
    (isScripted || (before.attempts > 1 && after.attempts > 1));
}
