import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import type { RunNode } from '../../../src/extension/run-items.ts';
import { suite } from '../../support/vscode/suite.ts';
import { extension, file, folder, waitFor } from '../extension.ts';
import { UiRecorder } from '../ui-recorder.ts';

const ui = new UiRecorder();
const TRACE = 'refund-attempt.trace.json';

export const run = suite({
  async 'runs of a terminal and of the editor are listed, compared, opened, and one becomes the baseline'() {
    await extension().activate();
    await write(TRACE, session(1));
    await git('init', '--quiet');
    await git('add', '--all');
    await git('-c', 'user.name=Tester', '-c', 'user.email=tester@example.org', 'commit', '--quiet', '-m', 'traces');
    await evaluateInTerminal();
    await vscode.commands.executeCommand('turnwise.runs.focus');
    const [first] = await runsOnce('the run of the terminal', (runs) => runs.length === 1);
    assert.ok(first?.type === 'run');
    assert.match(itemOf(first).description, /^now · [0-9a-f]{7} \(\w+\)/);

    await vscode.commands.executeCommand('turnwise.setAsBaseline', first);
    assert.deepEqual(ui.asked.length, 1);
    ui.react(/as Baseline$/, 'Released as 1.0.');
    await vscode.commands.executeCommand('turnwise.setAsBaseline', first);
    await runsOnce(
      'the mark of the baseline',
      ([run]) => run !== undefined && /^baseline · /.test(itemOf(run).description),
    );
    const baseline = await vscode.workspace.fs.readFile(file('turnwise.baseline.json'));
    assert.match(new TextDecoder().decode(baseline), /Released as 1\.0\./);

    await write(TRACE, session(0));
    await evaluateInTerminal();
    const [second] = await runsOnce('the second run of the terminal', (runs) => runs.length === 2);
    assert.ok(second?.type === 'run');
    assert.equal(itemOf(second).label, '1 of 1 failed');
    await vscode.commands.executeCommand('turnwise.compareWithPrevious', second);
    await pageIs('Compare Runs');
    const [changes, row] = await extension().exports.runs.getChildren(second);
    assert.ok(changes?.type === 'changes' && row?.type === 'session');
    assert.match(itemOf(row).description, /^Failed: /);
    await vscode.commands.executeCommand(itemOf(row).command?.command ?? '');
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), file(TRACE).toString());

    await vscode.commands.executeCommand('turnwise.evaluate', file(TRACE));
    await runsOnce('the run of the editor', (runs) => runs.length === 3);

    ui.react(/^Delete /, 'Delete');
    await vscode.commands.executeCommand('turnwise.deleteRuns', second);
    await runsOnce(
      'the list without the deleted run',
      (runs) => runs.every(({ id }) => id !== second.id) && runs.length === 2,
    );
    await vscode.commands.executeCommand('turnwise.showTrends');
    await pageIs('Trends');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },
});

function session(reward: number): string {
  const turns = [{ input: 'Refund my order.', output: reward === 1 ? 'It is refunded.' : 'I cannot do that.' }];
  return JSON.stringify({
    turnwise: 1,
    sessions: [
      {
        id: 's',
        task: { id: 'refund' },
        turns,
        outcome: { status: reward === 1 ? 'succeeded' : 'failed', reason: `reward ${reward}` },
      },
    ],
  });
}

async function write(name: string, text: string): Promise<void> {
  await vscode.workspace.fs.writeFile(file(name), new TextEncoder().encode(text));
}

async function git(...args: readonly string[]): Promise<void> {
  await promisify(execFile)('git', ['-C', folder().fsPath, ...args]);
}

/** With the data folder of the editor, as in its terminal. */
async function evaluateInTerminal(): Promise<void> {
  const repository = process.env.TURNWISE_TEST_REPOSITORY ?? dirname(extension().extensionPath);
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
  const program = join(repository, 'dist', 'cli.js');
  await promisify(execFile)(process.execPath, [program, 'eval', TRACE, '--fail-on', 'never', '--quiet'], {
    cwd: folder().fsPath,
    env,
  }).catch((error: unknown) => {
    // A failed session is what is wanted.
    if (!(error instanceof Error && 'code' in error && error.code === 1)) throw error;
  });
}

function itemOf(node: RunNode): vscode.TreeItem & { readonly description: string } {
  const item = extension().exports.runs.getTreeItem(node);
  return Object.assign(item, { description: String(item.description) });
}

/** The listed runs, once they are as wanted. */
function runsOnce(what: string, isWanted: (runs: readonly RunNode[]) => boolean): Promise<RunNode[]> {
  const { runs } = extension().exports;
  return waitFor(what, [runs.onDidChangeTreeData], async () => {
    const nodes = await runs.getChildren();
    return isWanted(nodes) ? nodes : undefined;
  });
}

/** Waits until a page about runs is in front. */
async function pageIs(title: string): Promise<void> {
  const { tabGroups } = vscode.window;
  await waitFor(`the page ${title}`, [tabGroups.onDidChangeTabs], () =>
    tabGroups.activeTabGroup.activeTab?.label === title ? true : undefined,
  );
}
