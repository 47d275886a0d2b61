import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { suite } from '../../support/vscode/suite.ts';
import { extension, file, folder, waitFor } from '../extension.ts';
import { UiRecorder } from '../ui-recorder.ts';

const ui = new UiRecorder();

const SESSIONS = Array.from({ length: 6 }, (_, i) => ({
  id: `s${i}`,
  turns: [{ input: `Where is order ${i}?`, steps: [], output: 'On its way.' }],
}));

const CONFIGURATION = `export default {
  metrics: ['faithfulness', 'helpfulness'],
  gates: { thresholds: { faithfulness: 4, helpfulness: 4 } },
  judge: { provider: 'function', name: 'weak', model: 'v1', ask: () => ({
    faithfulness: { evidence: [], reason: 'The judge says so.', score: 2 },
    helpfulness: { evidence: [], reason: 'The judge says so.', score: 2 },
  }) },
};
`;

export const run = suite({
  async 'shows results of a judge to be labelled, without what the judge said'() {
    await extension().activate();
    await write('turnwise.config.mjs', CONFIGURATION);
    await write('orders.trace.json', JSON.stringify({ turnwise: 1, sessions: SESSIONS }));
    await evaluateInTerminal();

    ui.react(/^Label Results$/, 'faithfulness');
    await vscode.commands.executeCommand('turnwise.labelResults');
    assert.deepEqual(ui.asked, ['Label Results']);
    const { tabGroups } = vscode.window;
    await waitFor('the page', [tabGroups.onDidChangeTabs], () =>
      tabGroups.activeTabGroup.activeTab?.label === 'Label Results' ? true : undefined,
    );
    const post = await waitFor('a result to label', [ui.onDidChange], () =>
      ui.posted.find((one) => one.includes('"earlier":')),
    );
    assert.match(post, /Where is order \d\?/);
    for (const one of ui.posted) assert.doesNotMatch(one, /The judge says so/);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    assert.deepEqual(ui.said, []);
  },
});

async function write(name: string, text: string): Promise<void> {
  await vscode.workspace.fs.writeFile(file(name), new TextEncoder().encode(text));
}

/** With the data folder of the editor, as in its terminal. */
async function evaluateInTerminal(): Promise<void> {
  const repository = process.env.TURNWISE_TEST_REPOSITORY ?? dirname(extension().extensionPath);
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
  const args = [join(repository, 'dist', 'cli.js'), 'eval', 'orders.trace.json', '--quiet'];
  await promisify(execFile)(process.execPath, args, { cwd: folder().fsPath, env }).catch((error: unknown) => {
    // The judge fails everything, and that is wanted.
    if (!(error instanceof Error && 'code' in error && error.code === 1)) throw error;
  });
}
