import type { RecordedRun, RecordedSession } from '../../core/run-record.ts';
import type { TrendSubject } from '../../core/run-trend.ts';
import { figuresOf } from '../compare/figures.ts';

/** Something that a trend can be about, and its value in a session; null where the session has none. */
export interface SubjectFigure {
  readonly subject: TrendSubject;
  of(row: RecordedSession): number | null;
}

/**
 * What runs have values of: whether sessions did their job, what they cost, metrics, rules and failure labels.
 *
 * @param runs the newest last: it decides scale and threshold. @param task only its sessions; null: all.
 */
export function listSubjects(runs: readonly RecordedRun[], task: string | null = null): SubjectFigure[] {
  const rows = runs.flatMap((run) => run.rows);
  const templates = new Map(
    runs.flatMap(({ manifest }) => manifest.plan.metrics.map(({ name, template }) => [name, template] as const)),
  );
  const shares = (kind: 'rule' | 'label', key: 'rules' | 'labels') =>
    [...new Set(rows.flatMap((row) => Object.keys(row[key])))].sort().map(
      (name): SubjectFigure => ({
        subject: { kind, name, unit: 'share', scale: [0, 1], threshold: null, lowerIsBetter: true, task },
        of: (row) => Number(Object.hasOwn(row[key], name)),
      }),
    );
  return [
    ...figuresOf(runs)
      .filter(({ of }) => rows.some((row) => of(row) !== null))
      .map(({ name, unit, lowerIsBetter, of }): SubjectFigure => {
        const template = templates.get(name);
        const scale = unit === 'share' ? ([0, 1] as const) : (template?.range ?? null);
        const kind = template ? 'metric' : 'measure';
        return {
          subject: { kind, name, unit, scale, threshold: template?.threshold ?? null, lowerIsBetter, task },
          of,
        };
      }),
    ...shares('rule', 'rules'),
    ...shares('label', 'labels'),
  ];
}

/**
 * What a user names. Null where no run has a value of that name: a rule that never found anything is not recorded.
 *
 * @param name null: what says most, which is whether sessions did their job, or else passed.
 */
export function findSubject(
  name: string | null,
  task: string | null,
  runs: readonly RecordedRun[],
): SubjectFigure | null {
  const subjects = listSubjects(runs, task);
  return (name === null ? subjects[0] : subjects.find(({ subject }) => subject.name === name)) ?? null;
}

/** Whether a session is an attempt of a task that is named by its id, alone or after its dataset. */
export function isOfTask({ task }: RecordedSession, name: string): boolean {
  return task !== null && (task.id === name || `${task.dataset} · ${task.id}` === name);
}
