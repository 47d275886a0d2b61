import type { ComparabilityNote, RunComparison } from '../../core/run-comparison.ts';
import type { RecordedRun, RecordedSession } from '../../core/run-record.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { type Remedies, terminalRemedies } from '../remedies.ts';
import { shortRunId } from '../run-label.ts';
import { compareSettings } from './comparability.ts';
import { compareMetrics } from './compare-metrics.ts';
import { type Figure, figuresOf } from './figures.ts';
import { comparableStandings, findChangedSessions, findFlips } from './flips.ts';
import { separateNoise } from './judge-noise.ts';
import { labelRuns } from './labels.ts';
import { rankRuns } from './leaderboard.ts';
import { type Pairing, pairRuns, type TaskPair, type TaskSessions } from './pairing.ts';

/** How many runs one comparison can have. */
export const MOST_RUNS = 8;

/**
 * Compares two runs, or ranks up to eight. What makes them comparable comes first: what another judge, question or version
 * changed has no difference, only a reason.
 *
 * @param remedies those of the place where it is read
 * @throws RangeError for less than two runs, or more than eight
 */
export function compareRuns(runs: readonly RecordedRun[], remedies: Remedies = terminalRemedies): RunComparison {
  const [first, ...rest] = runs;
  if (!first || rest.length === 0 || runs.length > MOST_RUNS) {
    throw new RangeError(`2 to ${MOST_RUNS} runs can be compared, not ${runs.length}.`);
  }
  const labels = labelRuns(runs.map(({ manifest }) => manifest));
  const base = { run: first, label: labels[0] ?? '' };
  const others = rest.map((run, index) => ({ run, label: labels[index + 1] ?? '' }));
  const pairings = others.map(({ run }) => pairRuns(first.rows, run.rows));
  const notes = pairings.flatMap((pairing, index) => {
    const other = others[index];
    if (!other) return [];
    const names = [base.label, other.label] as const;
    return [
      ...sameRunNotes(runs, index + 1, remedies),
      ...compareSettings(base, other, index + 1, remedies),
      ...pairingNotes(pairing, names, index + 1, remedies),
    ];
  });
  const comparability = notes.filter((note, index) => !repeatsEarlier(note, index, notes));
  const common = {
    schemaVersion: 1,
    runs: [base, ...others].map((labelled, index) => toComparedRun(labelled, countTasks(pairings, index))),
    comparability,
  } as const;
  const figures = figuresOf(runs);
  const [pairing] = pairings;
  return pairing && pairings.length === 1
    ? {
        ...common,
        ...comparePair(
          pairing,
          figures,
          comparability,
          runs.flatMap(({ rows }) => rows),
        ),
      }
    : { ...common, ...compareSeveral(pairings, labels, figures, comparability) };
}

type Results = Omit<RunComparison, 'schemaVersion' | 'runs' | 'comparability'>;

/** What is said of the first run, which is compared with each of the others. */
function repeatsEarlier({ run, code }: ComparabilityNote, index: number, notes: readonly ComparabilityNote[]): boolean {
  return run === 0 && notes.slice(0, index).some((note) => note.run === 0 && note.code === code);
}

function comparePair(
  pairing: Pairing,
  figures: readonly Figure[],
  notes: readonly ComparabilityNote[],
  rows: readonly RecordedSession[],
): Results {
  const isCompared = (metric: string) => notes.every(({ withholds }) => !withholds.includes(metric));
  const { tasks, noise } = separateNoise(pairing.tasks, isCompared);
  return {
    pairing: {
      tasks: tasks.length,
      sessions: tasks.reduce((sum, { pairs }) => sum + pairs.length, 0),
      renamed: pairing.renamed,
      changed: pairing.changed,
    },
    metrics: compareMetrics(tasks, figures, notes, {
      sessions: rows,
      isUnchanged:
        2 * noise.unchanged === tasks.reduce((sum, { before, after }) => sum + before.length + after.length, 0),
    }),
    flips: findFlips(tasks, comparableStandings(notes)),
    changedSessions: [],
    noise,
    onlyIn: pairing.only.map((unpaired, run) => ({ run, tasks: unpaired.map(toUnpaired) })),
    leaderboard: null,
  };
}

function compareSeveral(
  pairings: readonly Pairing[],
  labels: readonly string[],
  figures: readonly Figure[],
  notes: readonly ComparabilityNote[],
): Results {
  // The first session of a task stands for it in every pairing of the first run.
  const byTask = pairings.map(({ tasks }) => new Map(tasks.map((task) => [task.before[0], task])));
  const isShared = ({ before: [key] }: TaskPair) => byTask.every((tasks) => tasks.has(key));
  const isCompared = (metric: string) => notes.every(({ withholds }) => !withholds.includes(metric));
  const [pairing] = pairings;
  const shared = (pairing?.tasks ?? []).filter(isShared);
  const tasks = shared.map(({ before }) => [before, ...byTask.map((ofRun) => ofRun.get(before[0])?.after ?? [])]);
  const unshared = pairings.map((one) => one.tasks.filter((task) => !isShared(task)));
  const onlyIn = [
    [...(unshared[0] ?? []).map(({ task, before }) => ({ task, sessions: before })), ...(pairing?.only[0] ?? [])],
    ...pairings.map((one, index) => [
      ...(unshared[index] ?? []).map(({ task, after }) => ({ task, sessions: after })),
      ...one.only[1],
    ]),
  ];
  return {
    pairing: {
      tasks: shared.length,
      sessions: tasks.reduce((sum, task) => sum + task.reduce((count, rows) => count + rows.length, 0), 0),
      renamed: [],
      changed: [...new Set(pairings.flatMap(({ changed }) => changed))],
    },
    metrics: {},
    flips: [],
    changedSessions: findChangedSessions(
      pairings.map((one) => separateNoise(one.tasks.filter(isShared), isCompared).tasks),
      labels.map((_, run) => comparableStandings(notes.filter((note) => note.run === run))),
    ),
    noise: null,
    onlyIn: onlyIn.map((unpaired, run) => ({ run, tasks: unpaired.map(toUnpaired) })),
    leaderboard: rankRuns(tasks, labels, figures, notes),
  };
}

/** Of a run that is named twice, such as by its id and as the file that it was exported to. */
function sameRunNotes(runs: readonly RecordedRun[], run: number, { otherRun }: Remedies): ComparabilityNote[] {
  const id = runs[run]?.manifest.id ?? '';
  const earlier = runs.findIndex(({ manifest }) => manifest.id === id);
  if (earlier === run) return [];
  return [
    {
      code: 'same-run',
      run,
      withholds: [],
      reason: `${ORDINALS[earlier]} and ${ORDINALS[run]?.toLowerCase()} are the same run, ${shortRunId(id)}: it is compared with itself.`,
      remedy: otherRun,
    },
  ];
}

const ORDINALS = [
  'The first',
  'The second',
  'The third',
  'The fourth',
  'The fifth',
  'The sixth',
  'The seventh',
  'The eighth',
];

function pairingNotes(
  { tasks, only: [before, after], changed }: Pairing,
  [first, other]: readonly [string, string],
  run: number,
  { nameTasks }: Remedies,
): ComparabilityNote[] {
  const notes: ComparabilityNote[] = [];
  if (tasks.length === 0) {
    notes.push({
      code: 'no-shared-task',
      run,
      withholds: 'all',
      reason: `${first} and ${other} have no task in common.`,
      remedy: `Evaluate sessions of the same tasks. ${nameTasks}`,
    });
  } else if (before.length > 0 || after.length > 0) {
    const part = (unpaired: readonly TaskSessions[], label: string) =>
      unpaired.length === 0 ? [] : [`${pluralize(unpaired.length, 'task')} only in ${label}`];
    notes.push({
      code: 'tasks',
      run,
      withholds: [],
      reason: `The runs have different tasks: ${[...part(before, first), ...part(after, other)].join(', ')}. ${pluralize(tasks.length, 'shared task')} ${tasks.length === 1 ? 'is' : 'are'} compared.`,
      remedy: null,
    });
  }
  if (changed.length > 0) {
    notes.push({
      code: 'changed-tasks',
      run,
      withholds: [],
      reason: `${pluralize(changed.length, 'task')} of the same name ${changed.length === 1 ? 'has' : 'have'} other user messages in ${other}: ${changed.length === 1 ? 'it is' : 'they are'} not compared.`,
      remedy: 'Give a changed task another name, or run the agent on it in both versions.',
    });
  }
  return notes;
}

function toUnpaired({ task, sessions }: TaskSessions): RunComparison['onlyIn'][number]['tasks'][number] {
  return { task, sessions: sessions.map(({ id, file, line }) => ({ id, file, line })) };
}

/** Tasks of the run at a position, whether the first run has them or not. */
function countTasks(pairings: readonly Pairing[], position: number): number {
  const pairing = pairings[Math.max(0, position - 1)];
  if (!pairing) return 0;
  return pairing.tasks.length + pairing.changed.length + pairing.only[position === 0 ? 0 : 1].length;
}

function toComparedRun({ run, label }: { readonly run: RecordedRun; readonly label: string }, tasks: number) {
  const { id, name, startedAt, state, agent, git } = run.manifest;
  return {
    id,
    label,
    name: name ?? null,
    startedAt,
    state,
    agent: { name: agent.name, version: agent.version },
    git: git && { commit: git.commit, branch: git.branch, dirty: git.dirty },
    sessions: run.rows.length,
    tasks,
  };
}
