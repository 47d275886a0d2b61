import type { RecordedRun, RecordedSession } from '../../core/run-record.ts';
import type { TrendSegment, TrendSubject } from '../../core/run-trend.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { compareSettings, withheldBy } from '../compare/comparability.ts';
import { labelRuns } from '../compare/labels.ts';
import { tasksOfRuns } from '../compare/pairing.ts';
import { changedRules } from '../compare/version-differences.ts';
import type { LabelledRun } from '../run-label.ts';
import type { SubjectFigure } from './subject.ts';

/** The values of a run, by task. A session without a task is one of its own. */
export type TaskValues = ReadonlyMap<string, readonly number[]>;

/** A segment with the values that its runs have. */
export interface SegmentValues extends TrendSegment {
  /** By run of the segment. Of `tasks`, only of tasks that all of its runs with values have. */
  readonly values: readonly TaskValues[];
  /** By run: sessions with a value of other tasks. */
  readonly leftOut: readonly number[];
}

/** At least this share of the tasks must be the same in all runs of a segment. */
const SHARED = 0.5;

interface OpenSegment {
  readonly from: number;
  readonly reasons: readonly string[];
  readonly values: TaskValues[];
  /** Null until a run has values. */
  tasks: ReadonlySet<string> | null;
  /** Null until two runs have values. */
  pairing: TrendSegment['pairing'] | null;
}

/** Splits runs, the oldest first, wherever the values before and after cannot be compared. */
export function splitSegments(runs: readonly RecordedRun[], figure: SubjectFigure): SegmentValues[] {
  const byRun = valuesOfRuns(runs, figure);
  const labels = labelRuns(runs.map(({ manifest }) => manifest));
  const labelled = runs.map((run, index): LabelledRun => ({ run, label: labels[index] ?? '' }));
  const segments: OpenSegment[] = [];
  for (const [index, run] of labelled.entries()) {
    const values = byRun[index] ?? new Map<string, readonly number[]>();
    const reasons = continueSegment(segments.at(-1), run, values, figure.subject, labelled);
    if (reasons === null) continue;
    const tasks = values.size === 0 ? null : new Set(values.keys());
    segments.push({ from: index, reasons, values: [values], tasks, pairing: null });
  }
  return segments.map(closeSegment);
}

/** Adds a run to a segment. @returns why it begins a new one instead, as sentences; null where it does not. */
function continueSegment(
  segment: OpenSegment | undefined,
  run: LabelledRun,
  values: TaskValues,
  subject: TrendSubject,
  runs: readonly LabelledRun[],
): readonly string[] | null {
  const first = segment && runs[segment.from];
  if (!segment || !first) return [];
  const changed = settingsChanged(first, run, subject);
  if (changed.length > 0) return changed;
  const joined = join(segment, values, hasTasks(run.run.rows));
  if (!joined.joins) return [joined.reason];
  segment.tasks = joined.tasks;
  segment.pairing = joined.pairing;
  segment.values.push(values);
  return null;
}

type Join =
  | { readonly joins: true; readonly tasks: OpenSegment['tasks']; readonly pairing: OpenSegment['pairing'] }
  | { readonly joins: false; readonly reason: string };

/** Whether a run has the tasks of a segment, or sessions of its own as the others of the segment. */
function join({ tasks, pairing }: OpenSegment, values: TaskValues, isOfTasks: boolean): Join {
  if (values.size === 0) return { joins: true, tasks, pairing };
  if (tasks === null) return { joins: true, tasks: new Set(values.keys()), pairing };
  const shared = new Set([...values.keys()].filter((key) => tasks.has(key)));
  const areMost = shared.size >= SHARED * tasks.size && shared.size >= SHARED * values.size;
  if (pairing !== 'sessions' && areMost) return { joins: true, tasks: shared, pairing: 'tasks' };
  if (pairing !== 'tasks' && !isOfTasks) return { joins: true, tasks, pairing: 'sessions' };
  return {
    joins: false,
    reason: `The tasks changed: ${shared.size} of ${pluralize(tasks.size, 'task')} are the same, ${values.size - shared.size} are others.`,
  };
}

function closeSegment({ from, reasons, values, tasks, pairing: found }: OpenSegment): SegmentValues {
  const pairing = found ?? 'tasks';
  const kept = values.map((own) => (pairing === 'tasks' ? new Map([...own].filter(([key]) => tasks?.has(key))) : own));
  const count = (own: TaskValues) => [...own.values()].reduce((sum, list) => sum + list.length, 0);
  return {
    from,
    to: from + values.length - 1,
    reasons,
    pairing,
    values: kept,
    leftOut: values.map((own, index) => count(own) - count(kept[index] ?? new Map())),
  };
}

function hasTasks(rows: readonly RecordedSession[]): boolean {
  return 2 * rows.filter(({ task }) => task !== null).length >= rows.length;
}

function valuesOfRuns(runs: readonly RecordedRun[], { of }: SubjectFigure): TaskValues[] {
  return tasksOfRuns(runs.map(({ rows }) => rows)).map((tasks) => {
    const values = new Map<string, readonly number[]>();
    for (const [key, { sessions }] of tasks) {
      const own = sessions.flatMap((row) => of(row) ?? []);
      if (own.length > 0) values.set(key, own);
    }
    return values;
  });
}

const VERSION_CODES = ['tool-version', 'metric-version', 'rule-version'];

/** Why the subject cannot be compared between two runs, as sentences. */
function settingsChanged(first: LabelledRun, other: LabelledRun, { kind, name }: TrendSubject): string[] {
  const notes = compareSettings(first, other, 1);
  if (kind === 'metric' || kind === 'measure') {
    const note = withheldBy(notes, name);
    return note ? [note.reason] : [];
  }
  // Rules find problems, and judges give labels too.
  const isChanged = kind === 'rule' && changedRules(first.run.manifest, other.run.manifest).includes(name);
  const codes: readonly string[] =
    kind === 'rule'
      ? ['tool-version', 'rules', 'turn', ...(isChanged ? ['rule-version'] : [])]
      : [...VERSION_CODES, 'rules', 'turn', 'judge', 'judge-version', 'sampling', 'question'];
  return notes.filter(({ code }) => codes.includes(code)).map(({ reason }) => reason);
}
