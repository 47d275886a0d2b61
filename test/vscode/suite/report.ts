import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { suite } from '../../support/vscode/suite.ts';
import { withTimeout } from '../../support/vscode/timeout.ts';
import { file, type Row, row, rows, waitFor } from '../extension.ts';

export const run = suite({
  async 'opens a report without splitting the editor, and evaluates the file if needed'() {
    await vscode.commands.executeCommand('turnwise.clear');
    const uri = file('delivery.json');
    await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.One });
    await vscode.commands.executeCommand('turnwise.openReport', uri);
    await reportsAre('Report: delivery.json in column 1');
  },

  async 'shows other reports in the same panel until it is kept open'() {
    await vscode.commands.executeCommand('turnwise.evaluate', file('refund.json'));
    const refund = await sessionOf('refund.json');
    await vscode.commands.executeCommand('turnwise.openReport', refund.node);
    await reportsAre('Report: refund.json in column 1');
    await vscode.commands.executeCommand('turnwise.keepReportOpen');
    await vscode.commands.executeCommand('turnwise.openReport', (await sessionOf('delivery.json')).node);
    await reportsAre('Report: delivery.json in column 1', 'Report: refund.json in column 1');
  },

  async 'opens a report to the side on request, and files to the left of it'() {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await reportsAre();
    await vscode.window.showTextDocument(file('refund.json'), { viewColumn: vscode.ViewColumn.One });
    const refund = await sessionOf('refund.json');
    const delivery = await sessionOf('delivery.json');
    await vscode.commands.executeCommand('turnwise.openReportToSide', refund.node);
    await columnsAre('refund.json', 'Report: refund.json');
    await reportHasFocus();
    await vscode.commands.executeCommand('turnwise.openJson', delivery.node);
    await columnsAre('delivery.json', 'Report: refund.json');
    await vscode.commands.executeCommand('turnwise.openReport', delivery.node);
    await columnsAre('delivery.json', 'Report: delivery.json');
    await reportsAre('Report: delivery.json in column 2');
  },

  async 'opens a file to the left of a report that has no file beside it'() {
    await vscode.commands.executeCommand('workbench.action.focusFirstEditorGroup');
    await vscode.commands.executeCommand('workbench.action.closeEditorsAndGroup');
    await columnsAre('Report: delivery.json');
    await vscode.commands.executeCommand('turnwise.openJson', (await sessionOf('refund.json')).node);
    await columnsAre('refund.json', 'Report: delivery.json');
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), file('refund.json').toString());
  },

  async 'puts a cursor at evidence and selects nothing, so that a typed character replaces nothing'() {
    const [problem] = await rows(await sessionOf('refund.json'));
    assert.ok(problem);
    const uri = file('refund.json');
    const before = await readFile(uri.fsPath, 'utf8');
    await vscode.commands.executeCommand('turnwise.openJson', problem.node);
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.toString(), uri.toString());
    assert.equal(editor.selection.isEmpty, true);
    await vscode.commands.executeCommand('type', { text: 'n' });
    assert.equal(editor.document.getText().length, before.length + 1);
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), before);
    assert.equal(await readFile(uri.fsPath, 'utf8'), before);
  },

  async 'keeps a report open when its results are cleared'() {
    await vscode.commands.executeCommand('turnwise.clear');
    await reportsAre('Report: delivery.json in column 2');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await reportsAre();
  },
});

function sessionOf(label: string): Promise<Row> {
  return row(`the session ${label}`, (item) => item.contextValue === 'session' && item.label === label);
}

async function reportHasFocus(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.focusSecondEditorGroup');
  const { tabGroups } = vscode.window;
  await waitFor('the report to have the focus', [tabGroups.onDidChangeTabGroups, tabGroups.onDidChangeTabs], () => {
    return tabGroups.activeTabGroup.activeTab?.label.startsWith('Report: ') || undefined;
  });
}

/** Waits until these are in front of the columns of the window, and there are no other columns. */
async function columnsAre(...expected: readonly string[]): Promise<void> {
  const { tabGroups } = vscode.window;
  const inFront = () =>
    tabGroups.all
      .map(({ activeTab, viewColumn }) => `${viewColumn}: ${activeTab?.label ?? ''}`)
      .sort()
      .join(' | ');
  const isThere = () => inFront() === expected.map((label, index) => `${index + 1}: ${label}`).join(' | ') || undefined;
  try {
    const changes = [tabGroups.onDidChangeTabGroups, tabGroups.onDidChangeTabs];
    await waitFor(`the columns ${expected.join(' | ')}`, changes, isThere);
  } catch (error) {
    throw new Error(`There is ${inFront()} at the end.`, { cause: error });
  }
}

/** Waits until these reports are open, and no others: the window tells of its tabs a little later. */
async function reportsAre(...expected: readonly string[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => {
    if (reports().sort().join('\n') === expected.join('\n')) resolve();
  };
  const listener = vscode.window.tabGroups.onDidChangeTabs(look);
  try {
    look();
    await withTimeout(10_000, `these reports to be open: ${expected.join(', ')}`, promise);
  } finally {
    listener.dispose();
  }
}

function reports(): string[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs, viewColumn }) =>
    tabs
      .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith('turnwise.report'))
      .map(({ label }) => `${label} in column ${viewColumn}`),
  );
}
