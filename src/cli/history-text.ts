import { basename } from 'node:path';
import type { RecordedSession, RunManifest } from '../core/run-record.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { taskText } from '../core/text/task-text.ts';
import { usageText } from '../reports/model-usage.ts';
import { padEnd, padStart, sanitizeLine, truncate } from '../reports/terminal-text.ts';
import { formatValue, unitOf } from '../runs/compare/figures.ts';
import { shortRunId } from '../runs/run-label.ts';
import type { RunListing } from '../runs/run-store.ts';

export interface HistoryTableOptions {
  /** Where runs are looked for. */
  readonly folder: string;
  readonly hasMore: boolean;
  readonly allProjects: boolean;
  /** The ids of the baselines that no newer one of their project has replaced. */
  readonly baselines: ReadonlySet<string>;
  readonly now: Date;
}

interface Column {
  readonly title: string;
  readonly isNumber?: true;
  text(run: RunListing): string;
}

/** Longer names, branches and versions are cut. */
const MAX_WIDTH = 28;

/** The runs as a table. Columns that are empty in every row are left out. */
export function* historyTable(
  runs: readonly RunListing[],
  { folder, hasMore, allProjects, baselines, now }: HistoryTableOptions,
): Generator<string> {
  if (runs.length === 0) {
    const where = allProjects ? '' : ' of this project';
    const others = allProjects ? '' : ' `turnwise history --all-projects` lists those of other projects.';
    yield `No run${where} is recorded yet in ${sanitizeLine(folder)}. \`turnwise eval\` records each run, unless history.record is false.${others}\n`;
    return;
  }
  const columns = columnsOf(now, allProjects, baselines).map((column) => {
    const cells = runs.map((run) => truncate(sanitizeLine(column.text(run)), MAX_WIDTH));
    const columnWidth = Math.max(column.title.length, ...cells.map((cell) => cell.length));
    const pad = column.isNumber ? padStart : padEnd;
    return {
      isEmpty: cells.every((cell) => cell === ''),
      cells: [column.title, ...cells].map((cell) => pad(cell, columnWidth)),
    };
  });
  for (let row = 0; row <= runs.length; row += 1) {
    const cells = columns.flatMap(({ isEmpty, cells: all }) => (isEmpty ? [] : (all[row] ?? '')));
    yield `${cells.join('  ').trimEnd()}\n`;
  }
  if (runs.some(({ manifest: { git } }) => git?.dirty)) yield '\n* with uncommitted changes\n';
  if (hasMore) yield `\nOlder runs are not listed: --limit ${runs.length * 5} lists more.\n`;
}

function columnsOf(now: Date, allProjects: boolean, baselines: ReadonlySet<string>): readonly Column[] {
  return [
    { title: 'run', text: ({ manifest }) => shortRunId(manifest.id) },
    { title: 'when', text: ({ manifest }) => timeText(manifest.startedAt, now) },
    { title: 'name', text: ({ manifest }) => manifest.name ?? '' },
    { title: 'verdict', text: verdictText },
    { title: 'vs baseline', text: ({ manifest: { totals } }) => totals?.baseline ?? '' },
    { title: 'sessions', isNumber: true, text: ({ manifest: { totals } }) => String(totals?.sessions ?? '') },
    { title: 'failed', isNumber: true, text: ({ manifest: { totals } }) => String(totals?.verdicts.failed ?? '') },
    { title: 'passed', isNumber: true, text: ({ manifest: { totals } }) => String(totals?.verdicts.passed ?? '') },
    { title: 'commit', text: ({ manifest }) => commitText(manifest) },
    { title: 'agent', text: ({ manifest: { agent } }) => (agent.versionFrom === 'git' ? null : agent.version) ?? '' },
    { title: 'branch', text: ({ manifest: { git } }) => git?.branch ?? '' },
    { title: 'project', text: ({ manifest }) => (allProjects ? basename(manifest.project) : '') },
    { title: 'notes', text: (run) => notesText(run, baselines) },
  ];
}

function verdictText({ manifest: { state, totals }, isLive }: RunListing): string {
  if (state === 'complete') return totals?.verdict ?? '';
  return isLive ? 'running' : 'incomplete';
}

function notesText({ manifest, isBaseline, isGone }: RunListing, baselines: ReadonlySet<string>): string {
  const baseline = baselines.has(manifest.id) ? 'baseline' : isBaseline ? 'earlier baseline' : '';
  const shard = manifest.shard ? `shard ${manifest.shard.index}/${manifest.shard.of}` : '';
  return [baseline, shard, isGone ? 'record is gone' : ''].filter((note) => note !== '').join(', ');
}

/** Seven characters of the commit, with a star where files had changes beside it. */
function commitText({ git }: Pick<RunManifest, 'git'>): string {
  return git ? `${git.commit.slice(0, 7)}${git.dirty ? '*' : ''}` : '';
}

/** In local time, without what goes without saying. */
function timeText(iso: string, now: Date): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return '';
  const two = (value: number) => String(value).padStart(2, '0');
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  if (time.toDateString() === now.toDateString()) return `today ${clock}`;
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${clock}`;
}

/** Sessions and metrics beyond these are only counted. */
const MAX_SESSIONS = 10;

/** All about one run. @param isLive whether it is being written */
export function* runText(
  manifest: RunManifest,
  rows: readonly RecordedSession[],
  { path, isLive }: { readonly path: string; readonly isLive: boolean },
): Generator<string> {
  const { id, name, totals, git, agent, plan, project, inputs, durationMs } = manifest;
  const lines: readonly (readonly [string, string])[] = [
    ['run', `${shortRunId(id)} (${id})`],
    ['name', name ?? ''],
    ['started', `${manifest.startedAt}${durationMs === null ? '' : `, took ${secondsText(durationMs)}`}`],
    ['state', stateText(manifest, isLive)],
    ['verdict', verdictLine(totals)],
    ['project', project],
    ['inputs', inputs.join(', ')],
    ['shard', manifest.shard ? `${manifest.shard.index}/${manifest.shard.of}` : ''],
    ['agent', [agent.name, agent.version, ...agent.models].filter((part) => part !== null).join(', ')],
    [
      'code',
      git ? `${git.branch ?? 'detached'} ${commitText(manifest)}${git.dirty ? ', with uncommitted changes' : ''}` : '',
    ],
    ['judge', plan.judge ? `${plan.judge.provider}/${plan.judge.model}` : 'none: rules only'],
    ['sessions', sessionsText(rows)],
    ['coverage', totals?.coverage == null ? '' : `${Math.round(totals.coverage * 100)}%`],
    ['calls', totals && totals.usage.judgeCalls > 0 ? usageText(totals.usage) : ''],
    ['turnwise', manifest.tool.version],
    ['record', path],
  ];
  for (const [title, text] of lines) if (text !== '') yield `${padEnd(title, 9)} ${sanitizeLine(text)}\n`;
  yield* meansLines(totals?.means ?? {});
  yield* failedLines(rows);
}

function verdictLine(totals: RunManifest['totals']): string {
  if (!totals) return 'none: the run is not complete';
  return totals.baseline === undefined ? totals.verdict : `${totals.verdict}; against the baseline: ${totals.baseline}`;
}

function stateText({ id, state, stoppedBy }: RunManifest, isLive: boolean): string {
  if (state === 'complete' || isLive) return state;
  const why = stoppedBy ?? 'It ended before it was done.';
  return `incomplete: ${why} To continue: turnwise eval --resume ${shortRunId(id)}`;
}

function sessionsText(rows: readonly RecordedSession[]): string {
  const counts = (['passed', 'failed', 'undecided'] as const).flatMap((verdict) => {
    const count = rows.filter((row) => row.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${verdict}`];
  });
  return [String(rows.length), counts.join(', ')].filter((part) => part !== '').join(': ');
}

function* meansLines(means: NonNullable<RunManifest['totals']>['means']): Generator<string> {
  const entries = Object.entries(means);
  if (entries.length === 0) return;
  const nameWidth = Math.max(...entries.map(([name]) => sanitizeLine(name).length), 6);
  const title = 'mean over sessions';
  yield `\n${padEnd('metric', nameWidth)}  ${padStart(title, title.length)}  ${padStart('sessions', 8)}\n`;
  for (const [name, { mean, n }] of entries) {
    const value = padStart(formatValue(mean, unitOf(name)), title.length);
    yield `${padEnd(sanitizeLine(name), nameWidth)}  ${value}  ${padStart(String(n), 8)}\n`;
  }
}

function* failedLines(rows: readonly RecordedSession[]): Generator<string> {
  const failed = rows.filter(({ verdict }) => verdict === 'failed');
  if (failed.length === 0) return;
  yield `\n${pluralize(failed.length, 'failed session')}\n`;
  for (const { id, file, line, task, headline } of failed.slice(0, MAX_SESSIONS)) {
    const where = `${file}${line === null ? '' : `:${line}`}`;
    const name = task === null ? id : taskText(task);
    yield `  ${[where, name, headline.text].map(sanitizeLine).join('  ')}\n`;
  }
  if (failed.length > MAX_SESSIONS) yield `  and ${failed.length - MAX_SESSIONS} more: --format json has all\n`;
}

function secondsText(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
