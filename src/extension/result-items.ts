import { posix } from 'node:path';
import * as vscode from 'vscode';
import { assertNever } from '../core/assert-never.ts';
import type { Severity } from '../core/severity.ts';
import type { Verdict } from '../core/verdict.ts';
import type { Change, FileRow, FileState, Place, SessionRow } from '../protocol/messages.ts';
import type { Node, NodeOf } from './result-nodes.ts';
import { fileName, riskWords, shown } from './words.ts';

export const VERDICT = {
  failed: { word: vscode.l10n.t('failed'), icon: icon('error', 'testing.iconFailed') },
  undecided: { word: vscode.l10n.t('undecided'), icon: icon('question', 'testing.iconUnset') },
  passed: { word: vscode.l10n.t('passed'), icon: icon('pass', 'testing.iconPassed') },
} as const satisfies Record<Verdict, { word: string; icon: vscode.ThemeIcon }>;

const GROUP = {
  failed: vscode.l10n.t('Failed'),
  undecided: vscode.l10n.t('Undecided'),
  passed: vscode.l10n.t('Passed'),
} as const satisfies Record<Verdict, string>;

/** Its gates let it pass, and there is something to look at: a tick without the colour of all being well. */
const PASSED_WITH_FAILURES = icon('pass', 'problemsWarningIcon.foreground');

const SEVERITY = {
  critical: { word: vscode.l10n.t('critical'), icon: icon('error', 'problemsErrorIcon.foreground') },
  high: { word: vscode.l10n.t('high'), icon: icon('error', 'problemsErrorIcon.foreground') },
  medium: { word: vscode.l10n.t('medium'), icon: icon('warning', 'problemsWarningIcon.foreground') },
  low: { word: vscode.l10n.t('low'), icon: icon('info', 'problemsInfoIcon.foreground') },
} as const satisfies Record<Severity, { word: string; icon: vscode.ThemeIcon }>;

/** What is said first of results that are not of the file as it is, or not of what it is evaluated with now. */
const CHANGED = {
  file: {
    words: vscode.l10n.t('changed since'),
    sentence: vscode.l10n.t('The file has changed since it was evaluated.'),
  },
  configuration: {
    words: vscode.l10n.t('configuration changed since'),
    sentence: vscode.l10n.t('Its configuration has changed since it was evaluated.'),
  },
  sidecar: {
    words: vscode.l10n.t('sidecar changed since'),
    sentence: vscode.l10n.t('Its sidecar has changed since it was evaluated.'),
  },
  unknown: {
    words: vscode.l10n.t('file or configuration changed since'),
    sentence: vscode.l10n.t('The file or its configuration has changed since it was evaluated.'),
  },
} as const satisfies Record<NonNullable<Change> | 'unknown', { words: string; sentence: string }>;

/** VS Code gives no extension the text of such a file. */
const TOO_LARGE = vscode.l10n.t('over 50 MB: nothing is shown in the editor');

/** A row of the results. Its texts are plain: what comes out of a trace is never read as Markdown. */
export function itemOf(node: Node): vscode.TreeItem {
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

function fileItem({ id, row, isOpen, isTooLarge }: NodeOf<'file'>): vscode.TreeItem {
  const facts = [
    ...stateWords(row),
    ...riskWords(row),
    sessionsWords(row),
    ...folderWords(row.uri),
    ...(isTooLarge ? [TOO_LARGE] : []),
  ];
  return {
    ...said({ id, label: fileName(row.uri), word: row.verdict && VERDICT[row.verdict].word, facts }),
    iconPath: row.verdict ? VERDICT[row.verdict].icon : icon('warning', 'problemsErrorIcon.foreground'),
    tooltip: lines([relative(row.uri), facts.join(' · ')]),
    collapsibleState: collapsibleState(row.sessions > 0 || row.problems.length > 0, isOpen),
    contextValue: 'file',
  };
}

function sessionsWords({ sessions }: FileRow): string {
  if (sessions === 0) return vscode.l10n.t('no session');
  return sessions === 1 ? vscode.l10n.t('1 session') : vscode.l10n.t('{0} sessions', sessions);
}

function newItem({ id, row }: NodeOf<'new'>): vscode.TreeItem {
  const facts = [vscode.l10n.t('not evaluated yet'), ...folderWords(row.uri)];
  return {
    ...said({ id, label: fileName(row.uri), word: null, facts }),
    iconPath: new vscode.ThemeIcon('circle-large-outline'),
    tooltip: lines([relative(row.uri), vscode.l10n.t('Not evaluated yet. Click to evaluate it.')]),
    contextValue: 'new',
    command: { command: 'turnwise.evaluate', title: vscode.l10n.t('Evaluate'), arguments: [row.uri] },
  };
}

function verdictItem({ id, verdict, sessions }: NodeOf<'verdict'>): vscode.TreeItem {
  return {
    ...said({ id, label: GROUP[verdict], word: null, facts: [String(sessions)] }),
    iconPath: VERDICT[verdict].icon,
    collapsibleState: collapsibleState(true, verdict === 'failed'),
    contextValue: 'verdict',
  };
}

function sessionItem({ id, row, isAlone, isOpen, isTooLarge }: NodeOf<'session'>): vscode.TreeItem {
  const { word, icon: verdict } = VERDICT[row.verdict];
  const isUnderWay = row.turnsDone !== null;
  const about = [
    ...riskWords(row),
    ...(row.headline === null ? [] : [shown(row.headline)]),
    ...whyUndecided(row),
    ...(isAlone ? whereWords(row) : []),
    ...(isAlone && isTooLarge ? [TOO_LARGE] : []),
  ];
  const facts = isUnderWay
    ? [vscode.l10n.t('evaluating: {0} of {1} turns', row.turnsDone ?? 0, row.turns)]
    : [...stateWords(row), ...about];
  return {
    ...said({ id, label: shown(row.id), word: isUnderWay ? null : word, facts }),
    iconPath: isUnderWay ? new vscode.ThemeIcon('loading~spin') : sessionIcon(row, verdict),
    tooltip: sessionTooltip(row, word),
    collapsibleState: collapsibleState(row.failures > 0, isOpen),
    contextValue: 'session',
    command: opening(row.place),
  };
}

/** What kept it from a verdict, in a sentence; the tooltip has all. */
function whyUndecided({ verdict, why }: SessionRow): string[] {
  return verdict === 'undecided' ? why.slice(0, 1).map(shown) : [];
}

function sessionIcon({ verdict, failures, state }: SessionRow, usual: vscode.ThemeIcon): vscode.ThemeIcon {
  if (state !== 'fresh') return new vscode.ThemeIcon(usual.id, new vscode.ThemeColor('disabledForeground'));
  return verdict === 'passed' && failures > 0 ? PASSED_WITH_FAILURES : usual;
}

/** Its file, and the folder of that. An id that was made of the file's name says the name already. */
function whereWords({ id, place: { uri } }: SessionRow): string[] {
  const name = shown(id);
  return name !== '' && fileName(uri).startsWith(name) ? folderWords(uri) : [relative(uri)];
}

/** The folder of a file, where it is not the workspace. */
function folderWords(uri: string): string[] {
  const folder = posix.dirname(relative(uri).replaceAll('\\', '/'));
  return folder === '.' ? [] : [folder];
}

function sessionTooltip(row: SessionRow, word: string): string {
  const turns = row.turns === 1 ? vscode.l10n.t('1 turn') : vscode.l10n.t('{0} turns', row.turns);
  const failures = row.failures === 1 ? vscode.l10n.t('1 failure') : vscode.l10n.t('{0} failures', row.failures);
  return lines([
    shown(row.id),
    [word, ...riskWords(row), turns, failures].join(' · '),
    ...(row.state === 'stale' ? [CHANGED[row.changed ?? 'unknown'].sentence] : []),
    ...(row.state === 'gone' ? [vscode.l10n.t('The file is not there any more.')] : []),
    ...row.why.map(shown),
    ...(row.riskReason === null ? [] : [shown(row.riskReason)]),
    relative(row.place.uri),
  ]);
}

function failureItem({ id, row }: NodeOf<'failure'>): vscode.TreeItem {
  const { word, icon: iconPath } = SEVERITY[row.severity];
  const title = vscode.l10n.t('Turn {0}', row.turn + 1);
  const [label, reason] = [shown(row.label), shown(row.reason)];
  return {
    id,
    label: title,
    description: `${label} · ${reason}`,
    iconPath,
    tooltip: lines([`${title} · ${label} · ${word}`, reason]),
    accessibilityInformation: { label: [title, label, word, reason].join(', ') },
    contextValue: row.rule === null ? 'failure' : 'failure.rule',
    command: opening(row.place),
  };
}

function problemItem({ id, row: { message, place } }: NodeOf<'problem'>): vscode.TreeItem {
  return {
    ...said({ id, label: fileName(place.uri), word: vscode.l10n.t('could not be read'), facts: [shown(message)] }),
    iconPath: icon('warning', 'problemsErrorIcon.foreground'),
    tooltip: lines([relative(place.uri), shown(message)]),
    contextValue: 'problem',
    command: opening(place),
  };
}

function moreItem({ id, list, hidden }: NodeOf<'more'>): vscode.TreeItem {
  return {
    id,
    label: vscode.l10n.t('Show more ({0} hidden)', hidden),
    iconPath: new vscode.ThemeIcon('ellipsis'),
    command: { command: 'turnwise.showMore', title: '', arguments: [list] },
  };
}

/** What a row says, to be seen and to be heard: the icon is a word there. */
function said({
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
  const heard = [label, ...(word === null ? [] : [word]), ...facts];
  return { id, label, description: facts.join(' · '), accessibilityInformation: { label: heard.join(', ') } };
}

/** Leads to a place, with what stands there selected. Where it is shown is decided when it is pressed. */
export function opening({ uri, range }: Place): vscode.Command {
  return { command: 'turnwise.openSource', title: vscode.l10n.t('Open'), arguments: [{ uri, range } satisfies Place] };
}

/** Where a row leads to; null for those that stand for more than one place, or none. */
export function placeOf(node: Node): Place | null {
  return node.type === 'failure' || node.type === 'problem' || node.type === 'session' ? node.row.place : null;
}

/** A row as text, for somewhere else. */
export function textOf(node: Node): string {
  const { label, description } = itemOf(node);
  const words = [String(label ?? ''), String(description ?? '')].filter((part) => part !== '').join(': ');
  const place = placeOf(node);
  return place ? `${relative(place.uri)}:${place.range.start.line + 1}: ${words}` : words;
}

function stateWords({ state, changed }: { readonly state: FileState | 'new'; readonly changed?: Change }): string[] {
  if (state === 'stale') return [CHANGED[changed ?? 'unknown'].words];
  return state === 'gone' ? [vscode.l10n.t('file is gone')] : [];
}

function relative(uri: string): string {
  return shown(vscode.workspace.asRelativePath(vscode.Uri.parse(uri)));
}

function lines(all: readonly string[]): string {
  return all.filter((line) => line !== '').join('\n');
}

function collapsibleState(hasChildren: boolean, isOpen: boolean): vscode.TreeItemCollapsibleState {
  if (!hasChildren) return vscode.TreeItemCollapsibleState.None;
  return isOpen ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
}

function icon(name: string, color: string): vscode.ThemeIcon {
  return new vscode.ThemeIcon(name, new vscode.ThemeColor(color));
}
