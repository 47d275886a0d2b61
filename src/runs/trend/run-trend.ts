import type { RecordedRun, RunManifest } from '../../core/run-record.ts';
import type { RunLabel, RunTrend, TrendPoint, TrendVersion } from '../../core/run-trend.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { tasksOfRuns } from '../compare/pairing.ts';
import { findChanges, meanOverTasks } from './changes.ts';
import { meanInterval } from './mean-interval.ts';
import { type SegmentValues, splitSegments } from './segments.ts';
import { findSubject, isOfTask, type SubjectFigure } from './subject.ts';

export interface TrendOptions {
  /** A metric, a measure, a rule or a label; null: what says most. */
  readonly subject: string | null;
  /** Only sessions of this task; null: all. */
  readonly task: string | null;
  /** Whether the versions of the agent are told apart by task as well. */
  readonly byTask?: boolean;
  /** Runs that were left out, because they are not complete. */
  readonly incomplete?: number;
}

/**
 * How a subject develops over runs. Runs of another judge, question or set of tasks begin a new segment: nothing is
 * compared between segments.
 *
 * @param recorded complete runs, the oldest first. @returns null where no run has a value of the subject.
 */
export function runTrend(
  recorded: readonly RecordedRun[],
  { subject: name, task, byTask = false, incomplete = 0 }: TrendOptions,
): RunTrend | null {
  const runs = task === null ? recorded : recorded.map((run) => onlyTask(run, task));
  const figure = findSubject(name, task, runs);
  if (!figure) return null;
  const segments = splitSegments(runs, figure);
  return {
    schemaVersion: 1,
    subject: figure.subject,
    points: segments.flatMap((segment, index) => toPoints(segment, index, runs, figure)),
    segments: segments.map(({ from, to, reasons, pairing }) => ({ from, to, reasons, pairing })),
    changes: segments.flatMap((segment) => findChanges(segment, figure.subject)),
    versions: segments.flatMap((segment, index) => toVersions(segment, index, runs, byTask, task)),
    notes: notesOf(runs, segments, incomplete),
  };
}

function onlyTask(run: RecordedRun, task: string): RecordedRun {
  return { ...run, rows: run.rows.filter((row) => isOfTask(row, task)) };
}

function toPoints(
  { from, values, leftOut, pairing }: SegmentValues,
  segment: number,
  runs: readonly RecordedRun[],
  { subject }: SubjectFigure,
): TrendPoint[] {
  return values.flatMap((own, index): TrendPoint[] => {
    const run = runs[from + index];
    if (!run) return [];
    return [
      {
        ...runLabel(run.manifest),
        value: meanOverTasks([own]),
        interval: meanInterval([...own.values()], subject),
        n: countValues([own]),
        tasks: pairing === 'tasks' ? own.size : null,
        leftOut: leftOut[index] ?? 0,
        segment,
      },
    ];
  });
}

function countValues(runs: SegmentValues['values']): number {
  let n = 0;
  for (const tasks of runs) for (const own of tasks.values()) n += own.length;
  return n;
}

export function runLabel({ id, name, startedAt, git, agent, state }: RunManifest): RunLabel {
  return {
    run: id,
    ...(name === undefined ? {} : { name }),
    startedAt,
    git,
    agentVersion: agent.version,
    complete: state === 'complete',
  };
}

/** In the order in which they came. */
function toVersions(
  { from, values, pairing }: SegmentValues,
  segment: number,
  runs: readonly RecordedRun[],
  byTask: boolean,
  task: string | null,
): TrendVersion[] {
  const versions = new Map<string | null, SegmentValues['values'][number][]>();
  for (const [index, own] of values.entries()) {
    const version = runs[from + index]?.manifest.agent.version ?? null;
    const known = versions.get(version);
    if (known) known.push(own);
    else versions.set(version, [own]);
  }
  const names = byTask && pairing === 'tasks' ? taskNames(runs) : new Map<string, string>();
  const earlier: SegmentValues['values'][number][] = [];
  const rows: TrendVersion[] = [];
  for (const [version, own] of versions) {
    const describe = (
      filter: (tasks: SegmentValues['values'][number]) => SegmentValues['values'][number],
      name: string | null,
    ) => {
      const [mine, before] = [own.map(filter), earlier.map(filter)];
      const mean = meanOverTasks(mine);
      if (mean === null) return;
      const usual = meanOverTasks(before);
      const [minimum, maximum] = extent(mine);
      rows.push({
        version,
        task: name,
        segment,
        runs: mine.filter((tasks) => tasks.size > 0).length,
        n: countValues(mine),
        mean,
        minimum,
        maximum,
        deviation: usual === null ? null : mean - usual,
      });
    };
    describe((tasks) => tasks, task);
    for (const [key, name] of names) {
      describe((tasks) => {
        const values = tasks.get(key);
        return new Map(values ? [[key, values]] : []);
      }, name);
    }
    earlier.push(...own);
  }
  return rows;
}

/** By the key of a task: its name in the newest run that has it. */
function taskNames(runs: readonly RecordedRun[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const tasks of tasksOfRuns(runs.map(({ rows }) => rows)))
    for (const [key, { task, sessions }] of tasks) names.set(key, task ?? sessions[0]?.id ?? key);
  return names;
}

function extent(runs: SegmentValues['values']): readonly [number, number] {
  let [minimum, maximum] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const tasks of runs) {
    for (const values of tasks.values()) {
      for (const value of values) {
        minimum = Math.min(minimum, value);
        maximum = Math.max(maximum, value);
      }
    }
  }
  return [minimum, maximum];
}

function notesOf(runs: readonly RecordedRun[], segments: readonly SegmentValues[], incomplete: number): string[] {
  const dirty = runs.filter(({ manifest: { git } }) => git?.dirty).length;
  const leftOut = segments.reduce((sum, segment) => sum + segment.leftOut.reduce((all, n) => all + n, 0), 0);
  return [
    incomplete > 0
      ? `${pluralize(incomplete, 'incomplete run')} ${incomplete === 1 ? 'is' : 'are'} left out: the first sessions to finish are not like the others.`
      : null,
    leftOut > 0
      ? `${pluralize(leftOut, 'session')} of tasks that not all runs have ${leftOut === 1 ? 'does' : 'do'} not count.`
      : null,
    segments.some(({ pairing }) => pairing === 'sessions')
      ? 'The runs have no tasks in common: what changed may be the requests of the users, and not the agent.'
      : null,
    dirty > 0
      ? `${pluralize(dirty, 'run')} had uncommitted changes, marked +changes behind the commit: the commit alone does not say what was evaluated.`
      : null,
  ].filter((note) => note !== null);
}
