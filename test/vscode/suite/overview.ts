import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { suite } from '../../support/vscode/suite.ts';
import { file, folder, waitFor } from '../extension.ts';

const TWO_SESSIONS = JSON.stringify({
  turnwise: 1,
  sessions: [
    { id: 'first', turns: [{ input: 'Hi', output: 'Hello.' }] },
    { id: 'second', turns: [{ input: 'Bye', output: 'Goodbye.' }] },
  ],
});

export const run = suite({
  async 'the sessions of a file, a folder and the workspace open as a table each, and none opens twice'() {
    const uri = file('two-sessions.json');
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(TWO_SESSIONS));
    try {
      await vscode.commands.executeCommand('turnwise.evaluate', uri);
      for (const target of [uri, folder(), undefined, uri]) {
        await vscode.commands.executeCommand('turnwise.showSessions', target);
      }
      const name = folder().path.split('/').at(-1);
      await tablesAre(['Sessions: two-sessions.json', `Sessions: ${name}`, 'Sessions']);
    } finally {
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      await vscode.commands.executeCommand('turnwise.clear');
      await vscode.workspace.fs.delete(uri);
    }
  },
});

/** Waits until these tables are open, and no others. */
async function tablesAre(expected: readonly string[]): Promise<void> {
  const { tabGroups } = vscode.window;
  const tables = () =>
    tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith('turnwise.sessions'))
      .map(({ label }) => label)
      .sort();
  await waitFor(`the tables ${expected.join(', ')}`, [tabGroups.onDidChangeTabs], () =>
    tables().join() === expected.toSorted().join() ? true : undefined,
  );
  assert.equal(tabGroups.activeTabGroup.activeTab?.label, expected[0]);
}
