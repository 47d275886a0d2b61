import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { suite } from '../../support/vscode/suite.ts';
import { withTimeout } from '../../support/vscode/timeout.ts';
import { extension, file, type Row, row, rows, waitFor } from '../extension.ts';

export const run = suite({
  async 'opens a report beside its file and evaluates the file if needed'() {
    await vscode.commands.executeCommand('turnwise.clear');
    const uri = file('delivery.json');
    await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.One });
    await vscode.commands.executeCommand('turnwise.openReport', uri);
    await reportsAre('Report: delivery in column 2');
  },

  async 'opens the report of another session among the other reports, and none twice'() {
    await vscode.commands.executeCommand('turnwise.evaluate', file('refund.json'));
    const { results } = extension().exports;
    const rows = await results.getChildren();
    for (const row of [...rows, ...rows]) await vscode.commands.executeCommand('turnwise.openReport', row);
    await reportsAre('Report: delivery in column 2', 'Report: refund in column 2');
  },

  async 'keeps a file to the left of its report regardless of the focus'() {
    const refund = await sessionOf('refund.json');
    const delivery = await sessionOf('delivery.json');
    const [failure] = await rows(refund);
    await vscode.commands.executeCommand('turnwise.openReport', refund.node);
    await columnsAre('delivery.json', 'Report: refund');
    await reportHasFocus();
    await click(failure);
    await columnsAre('refund.json', 'Report: refund');
    await reportHasFocus();
    await vscode.commands.executeCommand('turnwise.openReport', delivery.node);
    await columnsAre('refund.json', 'Report: delivery');
    await reportHasFocus();
    await click(delivery);
    await columnsAre('delivery.json', 'Report: delivery');
    await vscode.commands.executeCommand('turnwise.openReport', refund.node);
    await columnsAre('delivery.json', 'Report: refund');
    await reportsAre('Report: delivery in column 2', 'Report: refund in column 2');
  },

  async 'opens a file to the left of reports that have no file beside them'() {
    await vscode.commands.executeCommand('workbench.action.focusFirstEditorGroup');
    await vscode.commands.executeCommand('workbench.action.closeEditorsAndGroup');
    await columnsAre('Report: refund');
    await click(await sessionOf('delivery.json'));
    await columnsAre('delivery.json', 'Report: refund');
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), file('delivery.json').toString());
    await vscode.commands.executeCommand('turnwise.openReport', (await sessionOf('delivery.json')).node);
    await columnsAre('delivery.json', 'Report: delivery');
    await reportsAre('Report: delivery in column 2', 'Report: refund in column 2');
  },

  async 'opens a report beside its file while another file is active'() {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await columnsAre('');
    await vscode.window.showTextDocument(file('refund.json'), { viewColumn: vscode.ViewColumn.One });
    await vscode.window.showTextDocument(file('delivery.json'), { viewColumn: vscode.ViewColumn.Two });
    await columnsAre('refund.json', 'delivery.json');
    await vscode.commands.executeCommand('turnwise.openReport', (await sessionOf('refund.json')).node);
    await columnsAre('refund.json', 'Report: refund');
    await vscode.commands.executeCommand('turnwise.openReport', (await sessionOf('delivery.json')).node);
    await columnsAre('refund.json', 'Report: delivery');
    await reportsAre('Report: delivery in column 2', 'Report: refund in column 2');
  },

  async 'keeps a report open when its results are cleared'() {
    await vscode.commands.executeCommand('turnwise.clear');
    await reportsAre('Report: delivery in column 2', 'Report: refund in column 2');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await reportsAre();
  },
});

function sessionOf(label: string): Promise<Row> {
  return row(`the session ${label}`, (item) => item.contextValue === 'session' && item.label === label);
}

/** Does what a click on a row does. */
async function click(clicked: Row | undefined): Promise<void> {
  const { command = '', arguments: given = [] } = clicked?.item.command ?? {};
  await vscode.commands.executeCommand(command, ...given);
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
