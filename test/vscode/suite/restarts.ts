import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { suite } from '../../support/vscode/suite.ts';
import { diagnostics, file, type Row, row, rows, servers, waitFor } from '../extension.ts';
import { UiRecorder } from '../ui-recorder.ts';
import { welcome } from '../welcome-views.ts';

const surfaces = new UiRecorder();
const refund = file('refund.json');
const delivery = file('delivery.json');

export const run = suite({
  async 'restarts a killed server with increasing delays and restores its results'() {
    await vscode.commands.executeCommand('turnwise.evaluate', refund, [refund, delivery]);
    await session('refund.json', /^2 problems/);
    // A view that shows results asks for them, and does not have to wait.
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('workbench.view.explorer');
    for (const wait of [500, 2000, 8000]) {
      const begun = performance.now();
      await killed();
      assert.match(surfaces.status?.text ?? '', /^Turnwise: 1 with problems /);
      await diagnostics(refund, (diagnostics) => diagnostics.length > 0);
      assert.ok(performance.now() - begun >= wait, `It was back after ${performance.now() - begun} ms.`);
      await session('refund.json', /^2 problems/);
      assert.equal(servers().length, 1);
    }
    assert.deepEqual(surfaces.said, []);
  },

  async 'stops restarting a server that keeps crashing, and says so in a message and the status bar'() {
    await killed();
    await waitFor('the server to be given up', [surfaces.onDidChange], () => {
      return surfaces.contextOf('turnwise.serverStopped') === true || undefined;
    });
    assert.deepEqual(servers(), []);
    assert.deepEqual(await rows(), []);
    const { text, command, tooltip, backgroundColor } = surfaces.status ?? {};
    assert.equal(text, 'Turnwise: server stopped');
    assert.match(String(tooltip), /Click to restart it or to see its log\.$/);
    assert.ok(backgroundColor);
    assert.equal(surfaces.statusItems.length, 1);
    const [sentence, ...others] = welcome((key) => surfaces.contextOf(key) ?? key === 'isWorkspaceTrusted');
    assert.match(
      sentence ?? '',
      /stopped repeatedly .*\(command:turnwise\.showLog\).*\(command:turnwise\.restartServer\)/s,
    );
    assert.deepEqual(others, []);
    surfaces.react(/stopped repeatedly/, 'Show Log');
    await vscode.commands.executeCommand(String(command));
    assert.deepEqual(
      surfaces.said.map(({ buttons }) => buttons),
      [['Restart Server', 'Show Log']],
    );
  },

  async 'starts the stopped server on the next evaluation'() {
    await vscode.commands.executeCommand('turnwise.evaluate', delivery);
    await session('delivery.json', /^No problems/);
    await session('refund.json', /^2 problems/);
    assert.equal(surfaces.contextOf('turnwise.serverStopped'), false);
    assert.equal(surfaces.status?.text, 'Turnwise: 1 with problems · 1 without problems · rules only');
    assert.equal(surfaces.statusItems.length, 1);
  },

  async 'starts the stopped server from the button'() {
    const [old] = servers();
    surfaces.react(/stopped repeatedly/, 'Restart Server');
    await vscode.commands.executeCommand('turnwise.showServerStatus');
    await session('refund.json', /^2 problems/);
    assert.equal(servers().length, 1);
    assert.notEqual(servers()[0], old);
  },
});

/** Kills the server, and waits until what it had found is withdrawn. */
async function killed(): Promise<void> {
  const gone = diagnostics(refund, (diagnostics) => diagnostics.length === 0);
  for (const id of servers()) process.kill(id, 'SIGKILL');
  await gone;
}

function session(label: string, description: RegExp): Promise<Row> {
  return row(
    `${label} to say ${description}`,
    (item) => item.label === label && description.test(String(item.description)),
  );
}
