import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { clear, evaluate } from '../../../src/protocol/messages.ts';
import { suite } from '../../support/vscode/suite.ts';
import { diagnostics, extension, file, type Row, row, rows, waitFor } from '../extension.ts';
import { SecondWindow } from '../second-window.ts';
import { UiRecorder } from '../ui-recorder.ts';

const surfaces = new UiRecorder();
const refund = file('refund.json');
const delivery = file('delivery.json');
/** Is there once this window was reloaded. */
const mark = file('reloaded').fsPath;

const before = suite({
  async 'evaluates and opens a report in a window before its reload'() {
    await vscode.window.showTextDocument(refund, { viewColumn: vscode.ViewColumn.One });
    await vscode.commands.executeCommand('turnwise.evaluate', refund, [refund, delivery]);
    await vscode.commands.executeCommand('turnwise.openReportToSide', refund);
    await waitFor('the report', [surfaces.onDidChange], () =>
      surfaces.posted.find((post) => post.includes('"state":"')),
    );
    await vscode.commands.executeCommand('turnwise.groupByOutcome');
    await appendFile(delivery.fsPath, '\n');
    await session('When does order B-2002 arrive?', /outdated/);
  },
});

const after = suite({
  async 'restores results after a reload, and marks those of changed files'() {
    const [group] = await waitFor('the results', [extension().exports.results.onDidChangeTreeData], async () => {
      const found = await rows();
      return found.length > 0 ? found : undefined;
    });
    assert.equal(group?.item.label, 'Problems');
    await vscode.commands.executeCommand('turnwise.groupByFile');
    await session('refund.json', /^2 problems/);
    await session('delivery.json', /outdated/);
    await diagnostics(refund, (diagnostics) => diagnostics.length > 0);
    const reports = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label));
    assert.ok(reports.includes('Report: refund.json'), reports.join(', '));
    await vscode.commands.executeCommand('turnwise.evaluate', delivery);
  },

  async 'shows stored results in another window, where they change independently'() {
    await using other = await SecondWindow.open();
    assert.deepEqual(await other.states(), { 'delivery.json': 'fresh', 'refund.json': 'fresh' });
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([
        vscode.commands.executeCommand('turnwise.evaluate', refund, [refund, delivery]),
        other.ask(evaluate, { uris: [refund.toString(), delivery.toString()] }),
      ]);
    }
    await using third = await SecondWindow.open();
    assert.deepEqual(await third.states(), { 'delivery.json': 'fresh', 'refund.json': 'fresh' });
    assert.deepEqual([...other.said, ...third.said, ...surfaces.said], []);
  },

  async 'keeps results that another window clears, and stores them again on evaluation'() {
    await using other = await SecondWindow.open();
    await other.ask(clear, {});
    assert.deepEqual(await other.states(), {});
    await session('refund.json', /^2 problems/);
    await vscode.commands.executeCommand('turnwise.evaluate', refund);
    await vscode.commands.executeCommand('turnwise.restartServer');
    await using third = await SecondWindow.open();
    assert.deepEqual(await third.states(), { 'refund.json': 'fresh' });
    assert.deepEqual([...other.said, ...third.said, ...surfaces.said], []);
  },
});

/** A window that is reloaded runs its suite once more. */
export async function run(): Promise<void> {
  if (existsSync(mark)) return after();
  await before();
  await writeFile(mark, '');
  await vscode.commands.executeCommand('workbench.action.reloadWindow');
  await new Promise(() => {});
}

function session(label: string, description: RegExp): Promise<Row> {
  return row(
    `${label} to say ${description}`,
    (item) => item.label === label && description.test(String(item.description)),
  );
}
