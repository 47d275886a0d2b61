import * as vscode from 'vscode';
import { assertNever } from '../core/assert-never.ts';
import type { ChangedSessionRow, ChangesSincePrevious, RunRow, RunSession, RunsScope } from '../protocol/runs.ts';
import { escapeLabel } from './labels.ts';
import { icon, joinLines, KIND_LABELS, openLocationCommand, treeItem } from './result-items.ts';

/** A row of the Runs view. Its id is unique and stable. */
export type RunNode = { readonly id: string } & (
  | { readonly type: 'run'; readonly row: RunRow }
  | { readonly type: 'session'; readonly run: string; readonly row: RunSession }
  /** What changed against the run before. */
  | { readonly type: 'changes'; readonly run: string; readonly changes: ChangesSincePrevious }
  /** The judge changed: an offer to judge one of the runs again. */
  | { readonly type: 'again'; readonly again: NonNullable<ChangesSincePrevious['again']> }
  | { readonly type: 'flip'; readonly row: ChangedSessionRow }
  /** @property list the id of the parent row, or of the list of runs. */
  | { readonly type: 'more'; readonly list: string }
);

export type RunNodeOf<Type extends RunNode['type']> = Extract<RunNode, { readonly type: Type }>;

/** The tree item of a row. Texts of a trace are plain text, never Markdown. @param now milliseconds since 1970 */
export function toRunItem(node: RunNode, now: number): vscode.TreeItem {
  switch (node.type) {
    case 'run':
      return runItem(node, now);
    case 'session':
      return sessionItem(node);
    case 'changes':
      return changesItem(node);
    case 'again':
      return againItem(node);
    case 'flip':
      return flipItem(node);
    case 'more':
      return moreItem(node);
    default:
      return assertNever(node);
  }
}

function runItem({ id, row }: RunNodeOf<'run'>, now: number): vscode.TreeItem {
  const counts = runCounts(row);
  const [label, ...facts] = [...(row.name === null ? [] : [escapeLabel(row.name)]), counts];
  const state = stateLabel(row);
  const details = [
    ...baselineLabel(row),
    ...alertsLabel(row),
    ...state,
    ...facts,
    relativeTime(row.startedAt, now),
    ...commitLabel(row),
    ...agentLabel(row),
    ...(row.project === null ? [] : [escapeLabel(row.project)]),
  ];
  const isComplete = row.state === 'complete' && !row.isGone;
  return {
    ...treeItem({ id, label: label ?? counts, facts: details }),
    iconPath: runIcon(row),
    tooltip: runTooltip(row, counts),
    collapsibleState:
      row.sessions > 0 && !row.isGone
        ? vscode.TreeItemCollapsibleState.Collapsed
        : vscode.TreeItemCollapsibleState.None,
    contextValue: isComplete ? 'run.complete' : 'run',
  };
}

/** Shape first, colour second. A run that passed its gates proves success only where a session succeeded. */
function runIcon({ state, isLive, isGone, verdict, succeeded }: RunRow): vscode.ThemeIcon {
  if (isGone) return icon('circle-slash', 'testing.iconUnset');
  if (isLive) return new vscode.ThemeIcon('loading~spin');
  if (state !== 'complete') return icon('debug-pause', 'testing.iconUnset');
  if (verdict === 'failed') return KIND_LABELS.failed.icon;
  if (verdict === 'undecided' || verdict === null) return KIND_LABELS.undecided.icon;
  return succeeded > 0 ? KIND_LABELS.succeeded.icon : KIND_LABELS.clean.icon;
}

function stateLabel({ state, isLive, isGone }: RunRow): string[] {
  if (isGone) return [vscode.l10n.t('record not found')];
  if (isLive) return [vscode.l10n.t('running')];
  return state === 'complete' ? [] : [vscode.l10n.t('incomplete')];
}

function alertsLabel({ alerts }: RunRow): string[] {
  if (alerts.length === 0) return [];
  return [alerts.length === 1 ? vscode.l10n.t('1 alert') : vscode.l10n.t('{0} alerts', alerts.length)];
}

function baselineLabel({ baseline }: RunRow): string[] {
  if (baseline === null) return [];
  return [baseline === 'current' ? vscode.l10n.t('baseline') : vscode.l10n.t('earlier baseline')];
}

/** `3 of 60 failed, 2 undecided`. */
export function runCounts({ state, sessions, failed, undecided }: RunRow): string {
  if (state !== 'complete') return countSessions(sessions);
  if (failed === 0 && undecided === 0) return vscode.l10n.t('{0}, none failed', countSessions(sessions));
  const parts = [
    ...(failed === 0 ? [] : [vscode.l10n.t('{0} of {1} failed', failed, sessions)]),
    ...(undecided === 0
      ? []
      : [
          failed === 0
            ? vscode.l10n.t('{0} of {1} undecided', undecided, sessions)
            : vscode.l10n.t('{0} undecided', undecided),
        ]),
  ];
  return parts.join(', ');
}

function countSessions(sessions: number): string {
  return sessions === 1 ? vscode.l10n.t('1 session') : vscode.l10n.t('{0} sessions', sessions);
}

/** `1a2b3c4 (main)`; with `+` where files had uncommitted changes. */
function commitLabel({ git }: RunRow): string[] {
  if (!git) return [];
  const commit = `${escapeLabel(git.commit.slice(0, 7))}${git.dirty ? '+' : ''}`;
  return [git.branch === null ? commit : vscode.l10n.t('{0} ({1})', commit, escapeLabel(git.branch))];
}

function agentLabel({ agent: { name, version } }: RunRow): string[] {
  const words = [name, version].flatMap((word) => (word === null ? [] : [escapeLabel(word)]));
  return words.length === 0 ? [] : [words.join(' ')];
}

/** What a run is called in questions and pickers: its name, else when it began. */
export function runTitle({ name, startedAt }: Pick<RunRow, 'name' | 'startedAt'>): string {
  return name === null ? absoluteTime(startedAt) : escapeLabel(name);
}

function runTooltip(row: RunRow, counts: string): string {
  const { git, judge, stoppedBy, baseline, isGone } = row;
  return joinLines([
    runTitle(row),
    counts,
    ...(isGone ? [vscode.l10n.t('The record of this run was moved or deleted.')] : []),
    ...row.alerts.map((alert) => vscode.l10n.t('Alert: {0}', escapeLabel(alert))),
    ...(stoppedBy === null ? [] : [escapeLabel(stoppedBy)]),
    ...(baseline === 'current' ? [vscode.l10n.t('The baseline of its project.')] : []),
    ...(baseline === 'earlier' ? [vscode.l10n.t('An earlier baseline of its project.')] : []),
    ...(row.name === null ? [] : [absoluteTime(row.startedAt)]),
    ...(git ? [vscode.l10n.t('Commit {0}', escapeLabel(git.commit))] : []),
    ...(git?.dirty ? [vscode.l10n.t('There were uncommitted changes.')] : []),
    ...agentLabel(row).map((agent) => vscode.l10n.t('Agent {0}', agent)),
    judge === null ? vscode.l10n.t('Rules only') : vscode.l10n.t('Judge {0}', escapeLabel(judge)),
    vscode.l10n.t('Run {0}', escapeLabel(row.id)),
  ]);
}

function changesItem({ id, run, changes }: RunNodeOf<'changes'>): vscode.TreeItem {
  const { previous, summary, worse, better, unclear } = changes;
  const counts = [
    ...(worse === 0 ? [] : [vscode.l10n.t('{0} worse', worse)]),
    ...(better === 0 ? [] : [vscode.l10n.t('{0} better', better)]),
    ...(unclear === 0 ? [] : [vscode.l10n.t('{0} unclear', unclear)]),
  ];
  const label = counts.length === 0 ? escapeLabel(summary) : counts.join(', ');
  const than = previous ? vscode.l10n.t('compared with {0}', runTitle(previous)) : '';
  return {
    ...treeItem({ id, label, facts: [than] }),
    iconPath: new vscode.ThemeIcon('git-compare'),
    tooltip: joinLines([label, than, ...(counts.length === 0 ? [] : [escapeLabel(summary)])]),
    collapsibleState:
      counts.length > 0 ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None,
    contextValue: 'changes',
    ...(previous && { command: openCommand({ show: 'comparison', runs: [previous.id, run] }) }),
  };
}

function againItem({ id, again }: RunNodeOf<'again'>): vscode.TreeItem {
  const { sessions, of, tokens, judge, run, by, isFirst } = again;
  const label = vscode.l10n.t('Judge {0} of {1} sessions again', sessions, of);
  const facts = [
    escapeLabel(judge),
    ...(tokens === null ? [] : [vscode.l10n.t('about {0} tokens', tokens.toLocaleString())]),
  ];
  const why = vscode.l10n.t('The judge changed: evaluates unchanged files with the judge of the other run.');
  return {
    ...treeItem({ id, label, facts }),
    iconPath: new vscode.ThemeIcon('law'),
    tooltip: joinLines([label, ...facts, why]),
    contextValue: 'again',
    command: { command: 'turnwise.rejudge', title: vscode.l10n.t('Judge Again'), arguments: [{ run, by, isFirst }] },
  };
}

/** Shape first, colour second. */
const FLIP_LABELS = {
  worse: { word: vscode.l10n.t('worse'), icon: icon('arrow-down', 'testing.iconFailed') },
  better: { word: vscode.l10n.t('better'), icon: icon('arrow-up', 'testing.iconPassed') },
  unclear: { word: vscode.l10n.t('unclear'), icon: icon('question', 'testing.iconQueued') },
} as const satisfies Record<ChangedSessionRow['direction'], unknown>;

function flipItem({ id, row: { title, direction, before, after, headline } }: RunNodeOf<'flip'>): vscode.TreeItem {
  const [label, now] = [escapeLabel(title), escapeLabel(headline.text)];
  const { word, icon: iconPath } = FLIP_LABELS[direction];
  return {
    ...treeItem({ id, label, facts: [word, now] }),
    iconPath,
    tooltip: joinLines([label, word, now, escapeLabel(after.file)]),
    contextValue: 'flip',
    command: openCommand({ show: 'transcripts', left: before, right: after }),
  };
}

function openCommand(scope: RunsScope): vscode.Command {
  const title = scope.show === 'transcripts' ? vscode.l10n.t('Compare Sessions') : vscode.l10n.t('Compare Runs');
  return { command: 'turnwise.openRunsPage', title, arguments: [scope] };
}

function sessionItem({ id, row }: RunNodeOf<'session'>): vscode.TreeItem {
  const label = escapeLabel(row.task ?? row.id);
  const headline = escapeLabel(row.headline.text);
  const line = Math.max(0, (row.line ?? 1) - 1);
  const start = { line, character: 0 };
  return {
    ...treeItem({ id, label, facts: [headline] }),
    iconPath: KIND_LABELS[row.headline.kind].icon,
    tooltip: joinLines([label, headline, escapeLabel(row.file)]),
    contextValue: 'session',
    command:
      row.key === null
        ? openLocationCommand({ uri: row.uri, range: { start, end: start } })
        : {
            command: 'turnwise.openReport',
            title: vscode.l10n.t('Open Report'),
            arguments: [{ session: row.key, turn: row.headline.turn }],
          },
  };
}

function moreItem({ id, list }: RunNodeOf<'more'>): vscode.TreeItem {
  return {
    id,
    label: vscode.l10n.t('Show more'),
    iconPath: new vscode.ThemeIcon('ellipsis'),
    command: { command: 'turnwise.showMore', title: '', arguments: [list] },
  };
}

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** `5 min. ago`, in the language of the editor. */
export function relativeTime(iso: string, now: number): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  if (!Number.isFinite(seconds)) return escapeLabel(iso);
  const format = new Intl.RelativeTimeFormat(vscode.env.language, { numeric: 'auto', style: 'short' });
  const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return format.format(unit === 'second' ? 0 : Math.trunc(seconds / length), unit);
}

function absoluteTime(iso: string): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return escapeLabel(iso);
  return new Intl.DateTimeFormat(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' }).format(time);
}
