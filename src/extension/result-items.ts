import { posix } from 'node:path';
import * as vscode from 'vscode';
import { assertNever } from '../core/assert-never.ts';
import type { Severity } from '../core/severity.ts';
import type { Verdict } from '../core/verdict.ts';
import type { FileLocation, FileRow, FileState, SessionRow, StaleCause } from '../protocol/messages.ts';
import { escapeLabel, fileName, riskLabel } from './labels.ts';
import type { ResultNode, ResultNodeOf } from './result-nodes.ts';

export const VERDICT_LABELS = {
  failed: { word: vscode.l10n.t('failed'), icon: icon('error', 'testing.iconFailed') },
  undecided: { word: vscode.l10n.t('undecided'), icon: icon('question', 'testing.iconUnset') },
  passed: { word: vscode.l10n.t('passed'), icon: icon('pass', 'testing.iconPassed') },
} as const satisfies Record<Verdict, { word: string; icon: vscode.ThemeIcon }>;

const GROUP_LABELS = {
  failed: vscode.l10n.t('Failed'),
  undecided: vscode.l10n.t('Undecided'),
  passed: vscode.l10n.t('Passed'),
} as const satisfies Record<Verdict, string>;

/** Passed its gates, but with problems: a check mark in the warning color. */
const PASSED_WITH_FAILURES = icon('pass', 'problemsWarningIcon.foreground');

const SEVERITY_LABELS = {
  critical: { word: vscode.l10n.t('critical'), icon: icon('error', 'problemsErrorIcon.foreground') },
  high: { word: vscode.l10n.t('high'), icon: icon('error', 'problemsErrorIcon.foreground') },
  medium: { word: vscode.l10n.t('medium'), icon: icon('warning', 'problemsWarningIcon.foreground') },
  low: { word: vscode.l10n.t('low'), icon: icon('info', 'problemsInfoIcon.foreground') },
} as const satisfies Record<Severity, { word: string; icon: vscode.ThemeIcon }>;

/** Labels of outdated results. */
const STALE_LABELS = {
  file: {
    words: vscode.l10n.t('outdated'),
    sentence: vscode.l10n.t('Outdated: the file changed after the evaluation.'),
  },
  configuration: {
    words: vscode.l10n.t('outdated: configuration changed'),
    sentence: vscode.l10n.t('Outdated: the configuration changed after the evaluation.'),
  },
  sidecar: {
    words: vscode.l10n.t('outdated: sidecar changed'),
    sentence: vscode.l10n.t('Outdated: the sidecar changed after the evaluation.'),
  },
  unknown: {
    words: vscode.l10n.t('outdated: file or configuration changed'),
    sentence: vscode.l10n.t('Outdated: the file or its configuration changed after the evaluation.'),
  },
} as const satisfies Record<NonNullable<StaleCause> | 'unknown', { words: string; sentence: string }>;

/** Extensions get no text of such a file. */
const TOO_LARGE = vscode.l10n.t('over 50 MB: no annotations in the editor');

/** The tree item of a row. Texts of a trace are plain text, never Markdown. */
export function toTreeItem(node: ResultNode): vscode.TreeItem {
  switch (node.type) {
    case 'file':
      return fileItem(node);
    case 'new':
      return newItem(node);
    case 'verdict':
      return verdictItem(node);
    case 'session':
      return sessionItem(node);
    case 'failure':
      return failureItem(node);
    case 'problem':
      return problemItem(node);
    case 'more':
      return moreItem(node);
    default:
      return assertNever(node);
  }
}

function fileItem({ id, row, isOpen, isTooLarge }: ResultNodeOf<'file'>): vscode.TreeItem {
  const facts = [
    ...stateLabel(row),
    ...riskLabel(row),
    sessionCountLabel(row),
    ...folderLabel(row.uri),
    ...(isTooLarge ? [TOO_LARGE] : []),
  ];
  return {
    ...treeItem({ id, label: fileName(row.uri), word: row.verdict && VERDICT_LABELS[row.verdict].word, facts }),
    iconPath: row.verdict ? VERDICT_LABELS[row.verdict].icon : icon('warning', 'problemsErrorIcon.foreground'),
    tooltip: joinLines([relativePath(row.uri), facts.join(' · ')]),
    collapsibleState: collapsibleState(row.sessions > 0 || row.problems.length > 0, isOpen),
    contextValue: 'file',
  };
}

function sessionCountLabel({ sessions }: FileRow): string {
  if (sessions === 0) return vscode.l10n.t('no session');
  return sessions === 1 ? vscode.l10n.t('1 session') : vscode.l10n.t('{0} sessions', sessions);
}

function newItem({ id, row }: ResultNodeOf<'new'>): vscode.TreeItem {
  const facts = [vscode.l10n.t('not evaluated yet'), ...folderLabel(row.uri)];
  return {
    ...treeItem({ id, label: fileName(row.uri), word: null, facts }),
    iconPath: new vscode.ThemeIcon('circle-large-outline'),
    tooltip: joinLines([relativePath(row.uri), vscode.l10n.t('Not evaluated yet. Click to evaluate it.')]),
    contextValue: 'new',
    command: { command: 'turnwise.evaluate', title: vscode.l10n.t('Evaluate'), arguments: [row.uri] },
  };
}

function verdictItem({ id, verdict, sessions }: ResultNodeOf<'verdict'>): vscode.TreeItem {
  return {
    ...treeItem({ id, label: GROUP_LABELS[verdict], word: null, facts: [String(sessions)] }),
    iconPath: VERDICT_LABELS[verdict].icon,
    collapsibleState: collapsibleState(true, verdict === 'failed'),
    contextValue: 'verdict',
  };
}

function sessionItem({ id, row, isAlone, isOpen, isTooLarge }: ResultNodeOf<'session'>): vscode.TreeItem {
  const { word, icon: verdict } = VERDICT_LABELS[row.verdict];
  const isUnderWay = row.turnsDone !== null;
  const about = [
    ...riskLabel(row),
    ...(row.worstLabel === null ? [] : [escapeLabel(row.worstLabel)]),
    ...undecidedReason(row),
    ...(isAlone ? pathLabel(row) : []),
    ...(isAlone && isTooLarge ? [TOO_LARGE] : []),
  ];
  const facts = isUnderWay
    ? [vscode.l10n.t('evaluating: {0} of {1} turns', row.turnsDone ?? 0, row.turns)]
    : [...stateLabel(row), ...about];
  return {
    ...treeItem({ id, label: escapeLabel(row.id), word: isUnderWay ? null : word, facts }),
    iconPath: isUnderWay ? new vscode.ThemeIcon('loading~spin') : sessionIcon(row, verdict),
    tooltip: sessionTooltip(row, word),
    collapsibleState: collapsibleState(row.problems > 0, isOpen),
    contextValue: 'session',
    command: openLocationCommand(row.location),
  };
}

/** The first reason for an undecided verdict; the tooltip has all. */
function undecidedReason({ verdict, why }: SessionRow): string[] {
  return verdict === 'undecided' ? why.slice(0, 1).map(escapeLabel) : [];
}

function sessionIcon({ verdict, problems, state }: SessionRow, usual: vscode.ThemeIcon): vscode.ThemeIcon {
  if (state !== 'fresh') return new vscode.ThemeIcon(usual.id, new vscode.ThemeColor('disabledForeground'));
  return verdict === 'passed' && problems > 0 ? PASSED_WITH_FAILURES : usual;
}

/** The path of its file, without the name if the session's id contains it. */
function pathLabel({ id, location: { uri } }: SessionRow): string[] {
  const name = escapeLabel(id);
  return name !== '' && fileName(uri).startsWith(name) ? folderLabel(uri) : [relativePath(uri)];
}

/** The folder of a file, unless it is the workspace folder. */
function folderLabel(uri: string): string[] {
  const folder = posix.dirname(relativePath(uri).replaceAll('\\', '/'));
  return folder === '.' ? [] : [folder];
}

function sessionTooltip(row: SessionRow, word: string): string {
  const turns = row.turns === 1 ? vscode.l10n.t('1 turn') : vscode.l10n.t('{0} turns', row.turns);
  const problems = row.problems === 1 ? vscode.l10n.t('1 problem') : vscode.l10n.t('{0} problems', row.problems);
  return joinLines([
    escapeLabel(row.id),
    [word, ...riskLabel(row), turns, problems].join(' · '),
    ...(row.state === 'stale' ? [STALE_LABELS[row.changed ?? 'unknown'].sentence] : []),
    ...(row.state === 'gone' ? [vscode.l10n.t('The file was deleted.')] : []),
    ...row.why.map(escapeLabel),
    ...(row.riskReason === null ? [] : [escapeLabel(row.riskReason)]),
    relativePath(row.location.uri),
  ]);
}

function failureItem({ id, row }: ResultNodeOf<'failure'>): vscode.TreeItem {
  const { word, icon: iconPath } = SEVERITY_LABELS[row.severity];
  const title = vscode.l10n.t('Turn {0}', row.turn + 1);
  const [label, reason] = [escapeLabel(row.label), escapeLabel(row.reason)];
  return {
    id,
    label: title,
    description: `${label} · ${reason}`,
    iconPath,
    tooltip: joinLines([`${title} · ${label} · ${word}`, reason]),
    accessibilityInformation: { label: [title, label, word, reason].join(', ') },
    contextValue: row.rule === null ? 'failure' : 'failure.rule',
    command: openLocationCommand(row.location),
  };
}

function problemItem({ id, row: { message, location } }: ResultNodeOf<'problem'>): vscode.TreeItem {
  return {
    ...treeItem({
      id,
      label: fileName(location.uri),
      word: vscode.l10n.t('unreadable'),
      facts: [escapeLabel(message)],
    }),
    iconPath: icon('warning', 'problemsErrorIcon.foreground'),
    tooltip: joinLines([relativePath(location.uri), escapeLabel(message)]),
    contextValue: 'problem',
    command: openLocationCommand(location),
  };
}

function moreItem({ id, list, hidden }: ResultNodeOf<'more'>): vscode.TreeItem {
  return {
    id,
    label: vscode.l10n.t('Show more ({0} hidden)', hidden),
    iconPath: new vscode.ThemeIcon('ellipsis'),
    command: { command: 'turnwise.showMore', title: '', arguments: [list] },
  };
}

/** A tree item whose accessible label has a word for the icon. */
function treeItem({
  id,
  label,
  word,
  facts,
}: {
  readonly id: string;
  readonly label: string;
  readonly word: string | null;
  readonly facts: readonly string[];
}): vscode.TreeItem {
  const parts = [label, ...(word === null ? [] : [word]), ...facts];
  return { id, label, description: facts.join(' · '), accessibilityInformation: { label: parts.join(', ') } };
}

/** The command that opens a location. */
export function openLocationCommand({ uri, range }: FileLocation): vscode.Command {
  return {
    command: 'turnwise.openJson',
    title: vscode.l10n.t('Open'),
    arguments: [{ uri, range } satisfies FileLocation],
  };
}

/** The location of a row; null for rows of several locations, or none. */
export function nodeLocation(node: ResultNode): FileLocation | null {
  return node.type === 'failure' || node.type === 'problem' || node.type === 'session' ? node.row.location : null;
}

/** A row as plain text, for the clipboard. */
export function nodeText(node: ResultNode): string {
  const { label, description } = toTreeItem(node);
  const words = [String(label ?? ''), String(description ?? '')].filter((part) => part !== '').join(': ');
  const location = nodeLocation(node);
  return location ? `${relativePath(location.uri)}:${location.range.start.line + 1}: ${words}` : words;
}

function stateLabel({
  state,
  changed,
}: {
  readonly state: FileState | 'new';
  readonly changed?: StaleCause;
}): string[] {
  if (state === 'stale') return [STALE_LABELS[changed ?? 'unknown'].words];
  return state === 'gone' ? [vscode.l10n.t('file deleted')] : [];
}

function relativePath(uri: string): string {
  return escapeLabel(vscode.workspace.asRelativePath(vscode.Uri.parse(uri)));
}

function joinLines(all: readonly string[]): string {
  return all.filter((line) => line !== '').join('\n');
}

function collapsibleState(hasChildren: boolean, isOpen: boolean): vscode.TreeItemCollapsibleState {
  if (!hasChildren) return vscode.TreeItemCollapsibleState.None;
  return isOpen ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
}

function icon(name: string, color: string): vscode.ThemeIcon {
  return new vscode.ThemeIcon(name, new vscode.ThemeColor(color));
}
