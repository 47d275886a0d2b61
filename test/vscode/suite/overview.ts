import * as vscode from 'vscode';
import { suite } from '../../support/vscode/suite.ts';
import { file, folder, row, waitFor } from '../extension.ts';

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
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      // VS Code gives the title of a view the row that is selected.
      const { node } = await row('the row of the file', ({ label }) => label === 'two-sessions.json');
      for (const command of ['turnwise.showSessions', 'turnwise.showAllSessions', 'turnwise.showSessions']) {
        await vscode.commands.executeCommand(command, node, [node]);
      }
      await tablesAre(['Sessions: two-sessions.json', 'Sessions']);
      await vscode.commands.executeCommand('turnwise.showAllSessions', node, [node]);
      await tablesAre(['Sessions', 'Sessions: two-sessions.json']);
    } finally {
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      await vscode.commands.executeCommand('turnwise.clear');
      await vscode.workspace.fs.delete(uri);
    }
  },
});

/** Waits until these tables are open, and no others, with the first one in front. */
async function tablesAre(expected: readonly string[]): Promise<void> {
  const { tabGroups } = vscode.window;
  const tables = () =>
    tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith('turnwise.sessions'))
      .map(({ label }) => label)
      .sort();
  await waitFor(`the tables ${expected.join(', ')}`, [tabGroups.onDidChangeTabs], () =>
    tables().join() === expected.toSorted().join() && tabGroups.activeTabGroup.activeTab?.label === expected[0]
      ? true
      : undefined,
  );
}
