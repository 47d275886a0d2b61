import type { Baseline } from '../../core/baseline.ts';
import type { RecordedRun } from '../../core/run-record.ts';
import type { AcceptOptions } from './accept-baseline.ts';
import { compareColumn, type TaskFiguresPair } from './compare-column.ts';
import { type GateName, identityDifferences, runIdentity } from './identity.ts';
import { matchTasks } from './match-tasks.ts';
import { baselineFigures, type RunFigures, runFigures, type TaskFigures, writeTask } from './run-figures.ts';

export interface RaisedBaseline {
  readonly baseline: Baseline;
  /** The figures that are better beyond chance, and the number of tasks that took them over. */
  readonly raised: readonly { readonly gate: GateName; readonly tasks: number }[];
  /** Tasks that the baseline did not have. */
  readonly added: readonly string[];
}

/** A figure is raised where it is better by chance in one of a hundred unchanged runs, over all figures. */
const BETTER = 0.01;

/**
 * Takes over what a run does better beyond chance, and nothing else: of such a figure, the tasks that rose. To take over every
 * lucky task would leave a baseline that the same agent misses.
 *
 * @throws Error with a sentence where the run cannot be compared with the baseline.
 */
export function raiseBaseline(baseline: Baseline, run: RecordedRun, { reason, today }: AcceptOptions): RaisedBaseline {
  const [before, after] = [baselineFigures(baseline), runFigures(run)];
  const identity = runIdentity(run.manifest, Object.keys(baseline.identity.metrics));
  const judged = new Set(run.rows.flatMap((row) => row.judged));
  const [difference] = identityDifferences(baseline.identity, identity, judged);
  if (difference)
    throw new Error(`The baseline cannot be raised: ${difference.reason}. Accept a new one without --raise.`);
  const { pairs, added } = matchTasks(before.tasks, after.tasks);
  const lowerIsBetter = new Set(
    run.manifest.plan.metrics.flatMap(({ name, template }) => (template.lowerIsBetter ? [name] : [])),
  );
  const gates = columnGates(baseline);
  const better = gates.filter((gate) => {
    const swapped = pairs.map(
      ({ task, before: old, after: now }): TaskFiguresPair => ({ task, before: now, after: old }),
    );
    const { p } = compareColumn(gate, swapped, lowerIsBetter.has(gate.name));
    return p !== null && p <= BETTER / gates.length;
  });
  const raised = better.map((gate) => {
    const isRisen = (pair: TaskFiguresPair) => {
      const [old, now] = [value(pair.before, gate), value(pair.after, gate)];
      return old !== null && now !== null && (lowerIsBetter.has(gate.name) || isProblem(gate) ? now < old : now > old);
    };
    return { gate, pairs: pairs.filter(isRisen) };
  });
  const tasks = new Map(Object.entries(baseline.tasks));
  const raisedTasks = new Map<string, TaskFigures>(before.tasks);
  for (const { gate, pairs: risen } of raised) {
    for (const { task, after: now } of risen) {
      const old = raisedTasks.get(task);
      if (old) raisedTasks.set(task, take(old, now, gate));
    }
  }
  for (const [task, figures] of raisedTasks) {
    if (figures !== before.tasks.get(task)) tasks.set(task, writeTask(figures, baseline.columns));
  }
  for (const task of added) {
    const figures = after.tasks.get(task);
    if (figures) tasks.set(task, writeTask(withColumns(figures, baseline.columns), baseline.columns));
  }
  const columns = raised.map(({ gate }) => gate.name);
  const isChanged = columns.length > 0 || added.length > 0;
  return {
    baseline: isChanged
      ? {
          ...baseline,
          raised: [...(baseline.raised ?? []), { run: run.manifest.id, on: today, reason, columns }],
          tasks: Object.fromEntries(tasks),
        }
      : baseline,
    raised: raised.map(({ gate, pairs: risen }) => ({ gate, tasks: risen.length })),
    added,
  };
}

function columnGates({ columns }: Baseline): GateName[] {
  return [
    ...columns.passed.map((name): GateName => ({ name, kind: 'passed' })),
    ...columns.means.map((name): GateName => ({ name, kind: 'mean' })),
    ...columns.labels.map((name): GateName => ({ name, kind: 'label' })),
    ...columns.rules.map((name): GateName => ({ name, kind: 'rule' })),
  ];
}

const KEYS = { passed: 'passed', mean: 'means', label: 'labels', rule: 'rules' } as const;

function isProblem({ kind }: GateName): boolean {
  return kind === 'label' || kind === 'rule';
}

function value(figures: TaskFigures, { name, kind }: GateName): number | null {
  if (kind === 'mean') return figures.means[name] ?? null;
  const count = figures[KEYS[kind]][name];
  if (count === undefined && kind !== 'passed') return 0;
  return count ? count.passed / count.of : null;
}

function take(old: TaskFigures, now: TaskFigures, gate: GateName): TaskFigures {
  const { name } = gate;
  const own = now[KEYS[gate.kind]][name] ?? (isProblem(gate) ? { passed: 0, of: now.attempts } : null);
  return { ...old, [KEYS[gate.kind]]: { ...old[KEYS[gate.kind]], [name]: own } };
}

/** A label or rule that a run does not have at all is one that no attempt has. */
function withColumns(figures: TaskFigures, columns: RunFigures['columns']): TaskFigures {
  const none = { passed: 0, of: figures.attempts };
  const fill = (names: readonly string[], own: TaskFigures['labels']) =>
    Object.fromEntries(names.map((name) => [name, own[name] === undefined ? none : own[name]]));
  return { ...figures, labels: fill(columns.labels, figures.labels), rules: fill(columns.rules, figures.rules) };
}
