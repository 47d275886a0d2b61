import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Flip, RunComparison } from '../../core/run-comparison.ts';
import type { RecordedSession } from '../../core/run-record.ts';
import { severityRank } from '../../core/severity.ts';
import { HEADLINE_KINDS } from '../../core/statuses.ts';
import { limitName, limitSentence } from '../../panel/values.ts';
import { sessionKey } from '../../protocol/panel.ts';
import type { ChangedSessionRow, ChangesSincePrevious, RunRow, RunSession } from '../../protocol/runs.ts';
import type { RunListing } from '../../runs/run-store.ts';

/** A run and the project that it belongs to. */
export interface RunReference {
  readonly id: string;
  readonly project: string;
}

/** What a run that is being written has found so far. */
export type SessionsSoFar = Pick<RunRow, 'sessions' | 'succeeded' | 'failed' | 'undecided'>;

const NOTHING: SessionsSoFar = { sessions: 0, succeeded: 0, failed: 0, undecided: 0 };

export function toRunRow(
  { manifest, isBaseline, isLive, isGone }: RunListing,
  {
    withProject,
    baselines,
    progress,
  }: {
    readonly withProject: boolean;
    /** The ids of the baselines that no newer one of their project has replaced. */
    readonly baselines: ReadonlySet<string>;
    readonly progress: SessionsSoFar | undefined;
  },
): RunRow {
  const { id, name, project, startedAt, durationMs, state, totals, stoppedBy, git, agent, judge } = manifest;
  return {
    id,
    name: name === undefined ? null : limitName(name),
    project: withProject ? limitName(basename(project) || project) : null,
    startedAt,
    durationMs,
    state,
    isLive,
    isGone,
    alerts: (manifest.alerts ?? []).map(({ message }) => limitSentence(message)),
    baseline: baselines.has(id) ? 'current' : isBaseline ? 'earlier' : null,
    verdict: totals?.verdict ?? null,
    ...(totals
      ? {
          sessions: totals.sessions,
          succeeded: totals.outcomes.succeeded,
          failed: totals.verdicts.failed,
          undecided: totals.verdicts.undecided,
        }
      : (progress ?? NOTHING)),
    stoppedBy: stoppedBy === undefined ? null : limitSentence(stoppedBy),
    git: git && {
      commit: limitName(git.commit),
      branch: git.branch === null ? null : limitName(git.branch),
      dirty: git.dirty,
    },
    agent: {
      name: agent.name === null ? null : limitName(agent.name),
      version: agent.version === null ? null : limitName(agent.version),
    },
    judge: judge && limitName(`${judge.provider}/${judge.model}`),
  };
}

export function countProgress(rows: readonly RecordedSession[]): SessionsSoFar {
  return {
    sessions: rows.length,
    succeeded: rows.filter(({ outcome }) => outcome.status === 'succeeded').length,
    failed: rows.filter(({ verdict }) => verdict === 'failed').length,
    undecided: rows.filter(({ verdict }) => verdict === 'undecided').length,
  };
}

/** The worst session first, as headlines rank them. */
export function sortByHeadline(rows: readonly RecordedSession[]): readonly RecordedSession[] {
  return rows.toSorted(
    (a, b) =>
      HEADLINE_KINDS.indexOf(a.headline.kind) - HEADLINE_KINDS.indexOf(b.headline.kind) ||
      severityOf(b) - severityOf(a) ||
      (a.file < b.file ? -1 : a.file > b.file ? 1 : 0),
  );
}

/** What lists call a session: its task, else its id. */
export function sessionName({ task, id }: Pick<RecordedSession, 'task' | 'id'>): string {
  return task ? taskName(task) : limitName(id);
}

function taskName({ dataset, id, trial }: NonNullable<RecordedSession['task']>): string {
  return limitName([dataset, id, trial].flatMap((part) => part ?? []).join(' · '));
}

export function toChangedSession({ task, direction, before, after }: Flip, runs: ComparedPair): ChangedSessionRow {
  return {
    title: limitName(task ?? after.id),
    direction,
    before: toSide(runs.before, before),
    after: toSide(runs.after, after),
    headline: { ...after.headline, text: limitSentence(after.headline.text) },
  };
}

/** The ids of two runs. */
interface ComparedPair {
  readonly before: string;
  readonly after: string;
}

/** What can be done where another judge is the difference; null elsewhere. */
export function toRejudge({ comparability }: RunComparison, runs: ComparedPair): ChangesSincePrevious['again'] {
  const again = comparability.find((note) => note.rejudge)?.rejudge;
  if (!again) return null;
  const isFirst = again.run === 0;
  return {
    run: isFirst ? runs.before : runs.after,
    by: isFirst ? runs.after : runs.before,
    isFirst,
    judge: limitName(`${again.judge.provider}/${again.judge.model}`),
    sessions: again.sessions,
    of: again.of,
    tokens: again.tokens,
  };
}

function toSide(run: string, { id: session, file }: Flip['before']): ChangedSessionRow['before'] {
  return { of: 'run', run, session, file };
}

function severityOf({ severity }: RecordedSession): number {
  return severity === null ? -1 : severityRank(severity);
}

/** @param hasReport whether the editor has results of the session of this key. */
export function toRunSession(row: RecordedSession, project: string, hasReport: (key: string) => boolean): RunSession {
  const { id, file, line, verdict, headline, task } = row;
  return {
    id,
    file: limitName(file),
    line,
    verdict,
    headline: { ...headline, text: limitSentence(headline.text) },
    task: task && taskName(task),
    ...locateRow(row, project, hasReport),
  };
}

/** The file of a session, and the key of its report; null where there is none. */
export function locateRow(
  row: Pick<RecordedSession, 'id' | 'file'>,
  project: string,
  hasReport: (key: string) => boolean,
): Pick<RunSession, 'uri' | 'key'> {
  const uri = traceUri(row, project);
  const key = sessionKey(uri, row.id);
  return { uri, key: hasReport(key) ? key : null };
}

/** The URI of the trace of a session. */
export function traceUri({ file }: Pick<RecordedSession, 'file'>, project: string): string {
  return pathToFileURL(resolve(project, file)).href;
}
