import type { Baseline, BaselineTask } from '../../core/baseline.ts';
import type { RecordedRun, RecordedSession, RunManifest } from '../../core/run-record.ts';
import type { Proportion } from '../../stats/stratified-test.ts';
import { tasksOfRuns } from '../compare/pairing.ts';

/** What is counted by task: shares of attempts that pass, means of scores, attempts with a label or a finding of a rule. */
export type FigureColumns = Baseline['columns'];

/** The figures of a task, by column. Null where nothing is known. */
export interface TaskFigures {
  readonly attempts: number;
  /** The beginning of the hash of what the user writes, where all attempts agree. */
  readonly inputs: string | null;
  readonly passed: Readonly<Record<string, Proportion | null>>;
  readonly means: Readonly<Record<string, number | null>>;
  readonly labels: Readonly<Record<string, Proportion | null>>;
  readonly rules: Readonly<Record<string, Proportion | null>>;
}

export interface RunFigures {
  readonly columns: FigureColumns;
  readonly tasks: ReadonlyMap<string, TaskFigures>;
}

/** Enough to tell the texts of one project apart. */
const INPUTS_DIGITS = 10;

/** The figures of a run by the name of the task. */
export function runFigures({ manifest, rows }: RecordedRun): RunFigures {
  const columns = columnsOf(manifest, rows);
  const tasks = new Map<string, TaskFigures>();
  for (const [task, sessions] of sessionsByTask(rows)) {
    const inputs = commonInputs(sessions);
    tasks.set(task, {
      attempts: sessions.length,
      inputs,
      passed: byName(columns.passed, (name) => share(sessions, (row) => passes(row, name))),
      means: byName(columns.means, (name) => mean(sessions.flatMap(({ scores }) => scores[name] ?? []))),
      labels: byName(columns.labels, (name) => share(sessions, ({ labels }) => (labels[name] ?? 0) > 0)),
      rules: byName(columns.rules, (name) => share(sessions, ({ rules }) => (rules[name] ?? 0) > 0)),
    });
  }
  return { columns, tasks };
}

/** Sessions without a task are named by what their user writes. */
export function sessionsByTask(rows: readonly RecordedSession[]): Map<string, readonly RecordedSession[]> {
  const [groups] = tasksOfRuns([rows]);
  return new Map(
    Array.from(groups?.values() ?? [], ({ task, sessions }) => [
      task ?? `inputs ${commonInputs(sessions) ?? sessions[0]?.id ?? ''}`,
      sessions,
    ]),
  );
}

/**
 * A metric counts by its threshold where the user set one, else by its mean: both would be the same question twice. A count or
 * a time has no best value, so that more of it is not worse: only scores with a scale count.
 */
function columnsOf({ plan }: RunManifest, rows: readonly RecordedSession[]): FigureColumns {
  const gating = new Set(plan.thresholds.map(({ metric }) => metric.name));
  const isGate = ({ name, hasOwnThreshold }: PlanMetric) => hasOwnThreshold || gating.has(name);
  const has = (key: 'scores' | 'passed') => new Set(rows.flatMap((row) => Object.keys(row[key])));
  const [scored, decided] = [has('scores'), has('passed')];
  const metrics = plan.metrics.filter(({ template }) => !template.implied);
  const thresholds = metrics.filter((metric) => isGate(metric) && decided.has(metric.name));
  const means = metrics.filter(
    (metric) => !isGate(metric) && scored.has(metric.name) && typeof metric.template.range?.[1] === 'number',
  );
  return {
    passed: [
      ...(rows.some(({ correct }) => correct !== null) ? ['correct'] : []),
      'verdict',
      ...thresholds.map(({ name }) => name).sort(),
    ],
    means: means.map(({ name }) => name).sort(),
    labels: keysOf(rows.map(({ labels }) => labels)),
    rules: keysOf(rows.map(({ rules }) => rules)),
  };
}

type PlanMetric = RunManifest['plan']['metrics'][number];

function keysOf(records: readonly Readonly<Record<string, number>>[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))].sort();
}

function passes({ correct, verdict, passed }: RecordedSession, gate: string): boolean | null {
  if (gate === 'correct') return correct;
  if (gate === 'verdict') return verdict === 'undecided' ? null : verdict === 'passed';
  return passed[gate] ?? null;
}

function share(rows: readonly RecordedSession[], test: (row: RecordedSession) => boolean | null): Proportion | null {
  const known = rows.map(test).filter((value) => value !== null);
  return known.length === 0 ? null : { passed: known.filter(Boolean).length, of: known.length };
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function commonInputs([first, ...others]: readonly RecordedSession[]): string | null {
  const agree = first !== undefined && first.inputs !== '' && others.every(({ inputs }) => inputs === first.inputs);
  return agree ? first.inputs.slice(0, INPUTS_DIGITS) : null;
}

function byName<Value>(names: readonly string[], figureOf: (name: string) => Value): Record<string, Value> {
  return Object.fromEntries(names.map((name) => [name, figureOf(name)]));
}

/** The figures of a baseline as its file has them. */
export function baselineFigures({ columns, tasks }: Baseline): RunFigures {
  return {
    columns,
    tasks: new Map(Object.entries(tasks).map(([name, task]) => [name, readTask(task, columns)])),
  };
}

function readTask(task: BaselineTask, columns: FigureColumns): TaskFigures {
  const { attempts, inputs = null } = task;
  const counts = (
    names: readonly string[],
    values: readonly (BaselineTask['passed'][number] | undefined)[],
    none: 0 | null,
  ) =>
    Object.fromEntries(
      names.map((name, index): [string, Proportion | null] => {
        const value = index < values.length ? values[index] : none;
        if (value === null || value === undefined) return [name, null];
        return [name, typeof value === 'number' ? { passed: value, of: attempts } : { passed: value[0], of: value[1] }];
      }),
    );
  return {
    attempts,
    inputs,
    passed: counts(columns.passed, task.passed, null),
    means: Object.fromEntries(columns.means.map((name, index) => [name, task.means?.[index] ?? null])),
    labels: counts(columns.labels, task.labels ?? [], 0),
    rules: counts(columns.rules, task.rules ?? [], 0),
  };
}

/** The figures of a task as the file has them. */
export function writeTask({ attempts, inputs, ...figures }: TaskFigures, columns: FigureColumns): BaselineTask {
  const counts = (key: 'passed' | 'labels' | 'rules') =>
    columns[key].map((name) => {
      const value = figures[key][name] ?? null;
      if (value === null) return null;
      return value.of === attempts ? value.passed : ([value.passed, value.of] as const);
    });
  const means = columns.means.map((name) => {
    const value = figures.means[name] ?? null;
    return value === null ? null : Number(value.toPrecision(3));
  });
  const [labels, rules] = [withoutTrailingZeros(counts('labels')), withoutTrailingZeros(counts('rules'))];
  return {
    attempts,
    ...(inputs === null ? {} : { inputs }),
    passed: counts('passed'),
    ...(means.length === 0 ? {} : { means }),
    ...(labels.length === 0 ? {} : { labels }),
    ...(rules.length === 0 ? {} : { rules }),
  };
}

function withoutTrailingZeros<Value>(values: readonly Value[]): Value[] {
  return values.slice(0, values.findLastIndex((value) => value !== 0) + 1);
}
