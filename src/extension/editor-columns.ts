import * as vscode from 'vscode';

/** Editor columns: files open to the left of their reports, and neither covers the other. */

export const REPORT_VIEW = 'turnwise.report';

/** The custom editors that show a report: of archives, and of traces that are text. */
export const REPORT_EDITORS: readonly string[] = ['turnwise.evalReport', 'turnwise.traceReport'];

/**
 * The column for a file: where it is open already, else the first column without a report in front. Undefined if the only column
 * has a report in front.
 */
export function columnForFile(file: vscode.Uri): vscode.ViewColumn | undefined {
  const uri = file.toString();
  const all = columns();
  const free = all.filter(({ activeTab }) => !isReport(activeTab));
  const holding =
    free.find((group) => isActiveIn(group, uri)) ?? free.find(({ tabs }) => tabs.some((tab) => isTabOf(tab, uri)));
  if (holding) return holding.viewColumn;
  // Without reports, the active column.
  if (!all.some(hasReport)) return vscode.ViewColumn.Active;
  return free[0]?.viewColumn ?? (all.length > 1 ? vscode.ViewColumn.One : undefined);
}

interface ReportColumnOptions {
  /** Whether a column may be added for it. */
  readonly toSide: boolean;
  /** The title of its panel, by which its tab is found. */
  readonly title?: string;
}

/**
 * The column for the report of a file: where it is in front, else where another report is, else an existing column beside its
 * file, else the active one. Only `toSide` adds a column.
 */
export function columnForReport(file: vscode.Uri, { toSide, title }: ReportColumnOptions): vscode.ViewColumn {
  const uri = file.toString();
  const all = columns();
  const inFront = all.filter(({ activeTab }) => isReport(activeTab));
  const own = inFront.find(({ activeTab }) => activeTab?.label === title);
  const reports = own ?? inFront.at(-1) ?? columnWithHiddenReport(all, uri);
  if (reports) return reports.viewColumn;
  const files = all.filter((group) => isActiveIn(group, uri)).map(({ viewColumn }) => viewColumn);
  const beside = files.find((column) => !files.includes(column + 1));
  if (toSide) return beside === undefined ? vscode.ViewColumn.Beside : beside + 1;
  const free = all.filter(({ viewColumn }) => !files.includes(viewColumn)).map(({ viewColumn }) => viewColumn);
  if (files.length === 0 || free.length === 0) return vscode.ViewColumn.Active;
  return free.find((column) => column - 1 === beside) ?? free[0] ?? vscode.ViewColumn.Active;
}

/** From left to right; VS Code lists them in order of creation. */
function columns(): readonly vscode.TabGroup[] {
  return vscode.window.tabGroups.all.toSorted((a, b) => a.viewColumn - b.viewColumn);
}

/** A column with reports in the background, next to another column, and without the file in front. */
function columnWithHiddenReport(all: readonly vscode.TabGroup[], uri: string): vscode.TabGroup | undefined {
  if (all.length === 1) return undefined;
  return all.findLast((group) => hasReport(group) && !isActiveIn(group, uri));
}

function hasReport({ tabs }: vscode.TabGroup): boolean {
  return tabs.some(isReport);
}

function isReport(tab: vscode.Tab | undefined): boolean {
  if (tab?.input instanceof vscode.TabInputCustom) return REPORT_EDITORS.includes(tab.input.viewType);
  // VS Code adds a prefix to the view type.
  return tab?.input instanceof vscode.TabInputWebview && tab.input.viewType.endsWith(REPORT_VIEW);
}

function isActiveIn({ activeTab }: vscode.TabGroup, uri: string): boolean {
  return activeTab !== undefined && isTabOf(activeTab, uri);
}

function isTabOf(tab: vscode.Tab, uri: string): boolean {
  const { input } = tab;
  if (!(input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom)) return false;
  return input.uri.toString() === uri && !isReport(tab);
}
