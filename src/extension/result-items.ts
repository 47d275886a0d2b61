import { posix } from 'node:path';
import * as vscode from 'vscode';
import { assertNever } from '../core/assert-never.ts';
import type { Severity } from '../core/severity.ts';
import type { FileLocation, FileRow, FileState, SessionRow, StaleCause } from '../protocol/messages.ts';
import { escapeLabel, fileName, headlinesLabel, riskLabel } from './labels.ts';
import type { ResultNode, ResultNodeOf } from './result-nodes.ts';

type HeadlineKind = SessionRow['headline']['kind'];

/** Shape first, colour second: each kind has an icon of its own. */
export const KIND_LABELS = {
  failed: { group: vscode.l10n.t('Failed'), icon: icon('error', 'testing.iconFailed') },
  undecided: { group: vscode.l10n.t('Undecided'), icon: icon('question', 'testing.iconUnset') },
  problems: { group: vscode.l10n.t('Problems'), icon: icon('warning', 'problemsWarningIcon.foreground') },
  'not-run': { group: vscode.l10n.t('Not Run'), icon: icon('circle-slash', 'testing.iconUnset') },
  clean: { group: vscode.l10n.t('No Problems Found'), icon: icon('circle-large-outline', 'testing.iconUnset') },
  succeeded: { group: vscode.l10n.t('Succeeded'), icon: icon('pass', 'testing.iconPassed') },
} as const satisfies Record<HeadlineKind, { group: string; icon: vscode.ThemeIcon }>;

/** The worst first; the icon of a file is that of its worst session. */
const KINDS = ['failed', 'undecided', 'problems', 'not-run', 'succeeded', 'clean'] as const;

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
  judge: {
    words: vscode.l10n.t('outdated: judged scores'),
    sentence: vscode.l10n.t('Only the rules have evaluated the last change. Evaluate again to ask the judge.'),
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
    case 'outcome':
      return outcomeItem(node);
    case 'unreadable':
      return unreadableItem(node);
    case 'session':
      return sessionItem(node);
    case 'failure':
      return failureItem(node);
    case 'problem':
      return problemItem(node);
    case 'lookalikes':
      return lookalikesItem(node);
    case 'question':
      return questionItem(node);
    case 'more':
      return moreItem(node);
    default:
      return assertNever(node);
  }
}

function fileItem({ id, row, isOpen, isTooLarge }: ResultNodeOf<'file'>): vscode.TreeItem {
  const counts = headlinesLabel(row.headlines);
  const facts = [
    ...(counts === null ? [] : [counts]),
    ...stateLabel(row),
    sessionCountLabel(row),
    ...folderLabel(row.uri),
    ...(isTooLarge ? [TOO_LARGE] : []),
  ];
  return {
    ...treeItem({ id, label: fileName(row.uri), facts }),
    iconPath: fileIcon(row),
    tooltip: joinLines([relativePath(row.uri), facts.join(' · ')]),
    collapsibleState: collapsibleState(row.sessions > 0 || row.problems.length > 0, isOpen),
    contextValue: 'file',
    ...(row.sessions > 1
      ? { command: { command: 'turnwise.showSessions', title: vscode.l10n.t('Show Sessions'), arguments: [row.uri] } }
      : {}),
  };
}

function fileIcon({ headlines, state, problems }: FileRow): vscode.ThemeIcon {
  const worst = KINDS.find((kind) => headlines[kind] > 0);
  if (worst) return stateIcon(state, KIND_LABELS[worst].icon);
  if (headlines.pending > 0) return new vscode.ThemeIcon('loading~spin');
  return problems.length > 0 ? icon('warning', 'problemsErrorIcon.foreground') : KIND_LABELS['not-run'].icon;
}

function sessionCountLabel({ sessions }: FileRow): string {
  if (sessions === 0) return vscode.l10n.t('no session');
  return sessions === 1 ? vscode.l10n.t('1 session') : vscode.l10n.t('{0} sessions', sessions);
}

function newItem({ id, row }: ResultNodeOf<'new'>): vscode.TreeItem {
  const facts = [vscode.l10n.t('not evaluated yet'), ...folderLabel(row.uri)];
  return {
    ...treeItem({ id, label: fileName(row.uri), facts }),
    iconPath: new vscode.ThemeIcon('file'),
    tooltip: joinLines([
      relativePath(row.uri),
      vscode.l10n.t('Not evaluated yet. Click to evaluate it and open its report.'),
    ]),
    contextValue: 'new',
    // Evaluates it first.
    command: { command: 'turnwise.openReport', title: vscode.l10n.t('Evaluate'), arguments: [row.uri] },
  };
}

function lookalikesItem({ id, files, isAlone }: ResultNodeOf<'lookalikes'>): vscode.TreeItem {
  const more = (): string =>
    files === 1
      ? vscode.l10n.t('1 more file looks like a trace')
      : vscode.l10n.t('{0} more files look like traces', files);
  const all = (): string =>
    files === 1 ? vscode.l10n.t('1 file looks like a trace') : vscode.l10n.t('{0} files look like traces', files);
  const label = isAlone ? all() : more();
  return {
    ...treeItem({ id, label, facts: [] }),
    iconPath: new vscode.ThemeIcon('search'),
    tooltip: vscode.l10n.t('Found by their content. Evaluate them, or add their names to the setting turnwise.traces.'),
    collapsibleState: collapsibleState(true, isAlone),
    contextValue: 'lookalikes',
  };
}

function outcomeItem({ id, kind, sessions }: ResultNodeOf<'outcome'>): vscode.TreeItem {
  return {
    ...treeItem({ id, label: KIND_LABELS[kind].group, facts: [String(sessions)] }),
    iconPath: KIND_LABELS[kind].icon,
    collapsibleState: collapsibleState(true, kind === 'failed'),
    contextValue: 'group',
  };
}

function unreadableItem({ id, files }: ResultNodeOf<'unreadable'>): vscode.TreeItem {
  return {
    ...treeItem({ id, label: vscode.l10n.t('Unreadable'), facts: [String(files.length)] }),
    iconPath: icon('warning', 'problemsErrorIcon.foreground'),
    collapsibleState: collapsibleState(true, files.length === 1),
    contextValue: 'group',
  };
}

function sessionItem({ id, row, place, isOpen, isTooLarge }: ResultNodeOf<'session'>): vscode.TreeItem {
  const { uri } = row.location;
  const isUnderWay = row.turnsDone !== null;
  const progress = vscode.l10n.t('evaluating: {0} of {1} turns', row.turnsDone ?? 0, row.turns);
  const facts = [
    ...(isUnderWay
      ? [progress, ...problemsSoFar(row)]
      : [escapeLabel(row.headline.text), ...stateLabel(row), ...riskLabel(row)]),
    ...(place === 'file' ? folderLabel(uri) : place === 'listed' ? [relativePath(uri)] : []),
    ...(place !== 'inFile' && isTooLarge ? [TOO_LARGE] : []),
  ];
  return {
    ...treeItem({ id, label: place === 'file' ? fileName(uri) : escapeLabel(row.title), facts }),
    iconPath: isUnderWay
      ? new vscode.ThemeIcon('loading~spin')
      : stateIcon(row.state, KIND_LABELS[row.headline.kind].icon),
    tooltip: sessionTooltip(row),
    // VS Code does not expand a row that had no children when it was drawn: one whose problems may still come has them.
    collapsibleState: collapsibleState(isUnderWay || row.problems > 0, isOpen),
    contextValue: 'session',
    command: openReportCommand(row.key, null),
  };
}

function problemsSoFar({ problems }: SessionRow): string[] {
  if (problems === 0) return [];
  return [problems === 1 ? vscode.l10n.t('1 problem so far') : vscode.l10n.t('{0} problems so far', problems)];
}

/** Outdated results lose their colour, not their shape. */
function stateIcon(state: FileState | 'new', usual: vscode.ThemeIcon): vscode.ThemeIcon {
  return state === 'fresh' ? usual : new vscode.ThemeIcon(usual.id, new vscode.ThemeColor('disabledForeground'));
}

/** The command of a row that opens a report. @param turn zero-based; null: where the report begins. */
function openReportCommand(session: string, turn: number | null): vscode.Command {
  return { command: 'turnwise.openReport', title: vscode.l10n.t('Open Report'), arguments: [{ session, turn }] };
}

/** The folder of a file, unless it is the workspace folder. */
function folderLabel(uri: string): string[] {
  const folder = posix.dirname(relativePath(uri).replaceAll('\\', '/'));
  return folder === '.' ? [] : [folder];
}

function sessionTooltip(row: SessionRow): string {
  const turns = row.turns === 1 ? vscode.l10n.t('1 turn') : vscode.l10n.t('{0} turns', row.turns);
  const problems = row.problems === 1 ? vscode.l10n.t('1 problem') : vscode.l10n.t('{0} problems', row.problems);
  const risk = row.risk === null ? [] : [vscode.l10n.t('{0} ({1})', riskLabel(row).join(''), row.risk.toFixed(2))];
  return joinLines([
    escapeLabel(row.title),
    ...(row.title === row.id ? [] : [vscode.l10n.t('Session {0}', escapeLabel(row.id))]),
    escapeLabel(row.headline.text),
    [...risk, turns, problems].join(' · '),
    ...(row.state === 'stale' ? [STALE_LABELS[row.changed ?? 'unknown'].sentence] : []),
    ...(row.state === 'gone' ? [vscode.l10n.t('The file was deleted.')] : []),
    ...(row.riskReason === null ? [] : [escapeLabel(row.riskReason)]),
    relativePath(row.location.uri),
  ]);
}

function failureItem({ id, row, session }: ResultNodeOf<'failure'>): vscode.TreeItem {
  const { word, icon: iconPath } = SEVERITY_LABELS[row.severity];
  const turn = vscode.l10n.t('Turn {0}', row.turn + 1);
  const [title, reason] = [escapeLabel(row.title), escapeLabel(row.reason)];
  return {
    id,
    label: turn,
    description: `${title} · ${reason}`,
    iconPath,
    tooltip: joinLines([`${turn} · ${title} · ${word}`, reason]),
    accessibilityInformation: { label: [turn, title, word, reason].join(', ') },
    contextValue: row.rule === null ? 'failure' : 'failure.rule',
    command: openReportCommand(session, row.turn),
  };
}

function problemItem({ id, row: { message, location } }: ResultNodeOf<'problem'>): vscode.TreeItem {
  return {
    ...treeItem({
      id,
      label: fileName(location.uri),
      facts: [escapeLabel(message)],
    }),
    iconPath: icon('warning', 'problemsErrorIcon.foreground'),
    tooltip: joinLines([relativePath(location.uri), escapeLabel(message)]),
    contextValue: 'problem',
    command: openLocationCommand(location),
  };
}

function questionItem({ id, question }: ResultNodeOf<'question'>): vscode.TreeItem {
  return {
    ...treeItem({ id, label: escapeLabel(question.title), facts: [vscode.l10n.t('click to answer')] }),
    iconPath: icon('question', 'problemsWarningIcon.foreground'),
    tooltip: escapeLabel(question.text),
    contextValue: 'question',
    command: { command: 'turnwise.answerQuestion', title: vscode.l10n.t('Answer Question'), arguments: [question.id] },
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

/** A tree item whose accessible label has all of its text. */
export function treeItem({
  id,
  label,
  facts,
}: {
  readonly id: string;
  readonly label: string;
  readonly facts: readonly string[];
}): vscode.TreeItem {
  const description = facts.join(' · ');
  return { id, label, description, accessibilityInformation: { label: [label, ...facts].join(', ') } };
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

export function joinLines(all: readonly string[]): string {
  return all.filter((line) => line !== '').join('\n');
}

function collapsibleState(hasChildren: boolean, isOpen: boolean): vscode.TreeItemCollapsibleState {
  if (!hasChildren) return vscode.TreeItemCollapsibleState.None;
  return isOpen ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
}

export function icon(name: string, color: string): vscode.ThemeIcon {
  return new vscode.ThemeIcon(name, new vscode.ThemeColor(color));
}
