import * as vscode from 'vscode';
import { suite } from '../../support/vscode/suite.ts';
import { within } from '../../support/vscode/within.ts';
import { extension, file } from '../extension.ts';

export const run = suite({
  async 'a report opens beside its file, which is evaluated when it was not yet'() {
    await vscode.commands.executeCommand('turnwise.clear');
    const uri = file('delivery.json');
    await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.One });
    await vscode.commands.executeCommand('turnwise.openReport', uri);
    await reportsAre('Report: delivery in column 2');
  },

  async 'a report of another session opens where reports are, and none opens twice'() {
    await vscode.commands.executeCommand('turnwise.evaluate', file('refund.json'));
    const { results } = extension().exports;
    const rows = await results.getChildren();
    for (const row of [...rows, ...rows]) await vscode.commands.executeCommand('turnwise.openReport', row);
    await reportsAre('Report: delivery in column 2', 'Report: refund in column 2');
  },

  async 'a report whose results are cleared stays open'() {
    await vscode.commands.executeCommand('turnwise.clear');
    await reportsAre('Report: delivery in column 2', 'Report: refund in column 2');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await reportsAre();
  },
});

/** Waits until these reports are open, and no others: the window tells of its tabs a little later. */
async function reportsAre(...expected: readonly string[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => {
    if (reports().sort().join('\n') === expected.join('\n')) resolve();
  };
  const listener = vscode.window.tabGroups.onDidChangeTabs(look);
  try {
    look();
    await within(10_000, `these reports to be open: ${expected.join(', ')}`, promise);
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
