import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { suite } from '../../support/vscode/suite.ts';
import { extension, file, lenses, waitFor } from '../extension.ts';

export const run = suite({
  async 'takes the strings of the manifest from the German translation'() {
    assert.equal(vscode.env.language, 'de');
    const { commands } = extension().packageJSON.contributes;
    const evaluate = commands.find(({ command }: { command: string }) => command === 'turnwise.evaluate');
    assert.deepEqual(evaluate.title, { original: 'Evaluate Trace', value: 'Trace auswerten' });
  },

  async 'names reports and shows lenses in German'() {
    const trace = file('refund.json');
    await vscode.commands.executeCommand('turnwise.openReport', trace);
    const { onDidChangeTabs } = vscode.window.tabGroups;
    await waitFor('a report in German', [onDidChangeTabs], () =>
      vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).find(({ label }) => label === 'Bericht: refund.json'),
    );
    const titles = await lenses(trace);
    assert.ok(
      titles.some((title) => /Risiko (niedrig|erhöht|hoch)/.test(title)),
      titles.join('\n'),
    );
  },
});
