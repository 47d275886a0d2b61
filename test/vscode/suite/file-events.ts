import assert from 'node:assert/strict';
import { appendFile, copyFile, rename, rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import { suite } from '../../support/vscode/suite.ts';
import { extension, file, lenses, rows, servers, waitFor } from '../extension.ts';
import { Timers } from '../timers.ts';
import { UiRecorder } from '../ui-recorder.ts';
import { welcome } from '../welcome-views.ts';

const surfaces = new UiRecorder();
const timers = new Timers(extension().extensionPath);

/** Files that are traces by their names come, change and go; `turnwise.traces` says which names these are. */
export const run = suite({
  async 'shows which files count as traces, and how others are found, in an empty view'() {
    await vscode.commands.executeCommand('turnwise.results.focus');
    await waitFor('somebody to have looked', [surfaces.onDidChange], () => {
      return surfaces.contextOf('turnwise.hasScanned') === true || undefined;
    });
    const [sentence = '', ...others] = welcome(contextOf);
    assert.match(sentence, /\[configure file names\]\(command:workbench\.action\.openSettings\?%5B%22turnwise\.traces/);
    assert.match(
      sentence,
      /\(command:turnwise\.openSample\).*\n\[Find Traces by Content\]\(command:turnwise\.findTraces\)$/,
    );
    assert.deepEqual(others, []);
    assert.deepEqual(await rows(), []);
    assert.equal(surfaces.status, null);
  },

  async 'lists a new trace'() {
    await copy('first.trace.json');
    await listed('first.trace.json: not evaluated yet');
    await copy('deep/second.session.json');
    await listed('second.session.json: not evaluated yet · deep', 'first.trace.json: not evaluated yet');
    await rm(file('first.trace.json').fsPath);
    await listed('second.session.json: not evaluated yet · deep');
  },

  async 'evaluates a listed trace on a click, and opens its report'() {
    const [first] = await listed('second.session.json: not evaluated yet · deep');
    const { command = '', arguments: args = [] } = first?.item.command ?? {};
    await vscode.commands.executeCommand(command, ...args);
    await listed(/^second[.\w]*: (?!not evaluated|evaluating)/);
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    assert.equal(activeTab?.label, 'Report: second.session.json');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },

  async 'follows created, deleted and renamed traces while the server runs'() {
    await copy('first.trace.json');
    await listed(/^second/, 'first.trace.json: not evaluated yet');
    assert.deepEqual(await lenses(file('first.trace.json')), ['Evaluate with Turnwise']);
    await rename(file('first.trace.json').fsPath, file('other.trace.json').fsPath);
    await listed(/^second/, 'other.trace.json: not evaluated yet');
    await rename(file('other.trace.json').fsPath, file('no-trace.json').fsPath);
    await listed(/^second/);
    await rename(file('no-trace.json').fsPath, file('.agentest/results.json').fsPath);
    await listed(/^second/, 'results.json: not evaluated yet · .agentest');
  },

  async 'marks results of a closed trace as outdated when another program writes it'() {
    await appendFile(file('deep/second.session.json').fsPath, '\n');
    await listed(/^second[.\w]*: .*outdated/, /^results/);
  },

  async 'lists the existing files after a server crash'() {
    await rm(file('.agentest').fsPath, { recursive: true });
    await copy('third.trace.json');
    await listed(/^second/, /^third/);
    const [broken] = servers();
    if (broken !== undefined) process.kill(broken, 'SIGKILL');
    await waitFor('another server', [extension().exports.results.onDidChangeTreeData], () => {
      return servers().some((id) => id !== broken) || undefined;
    });
    await listed(/^second[.\w]*: .*outdated/, 'third.trace.json: not evaluated yet');
  },

  async 'applies changed trace patterns at once and keeps results'() {
    await copy('runs/one.out');
    await copy('elsewhere/two.out');
    await set(['runs/*.out']);
    await listed(/^second/, 'one.out: not evaluated yet · runs');
    await copy('runs/three.out');
    await listed(/^second/, /^one/, /^three/);
    await rm(file('runs/one.out').fsPath);
    await listed(/^second/, /^three/);
    assert.deepEqual(await lenses(file('runs/three.out')), ['Evaluate with Turnwise']);
    await set([]);
    await listed(/^second/);
    await set(undefined);
    await listed(/^second/, /^third/);
  },

  async 'still lists a trace after its results are cleared'() {
    await vscode.commands.executeCommand('turnwise.clear');
    await listed('second.session.json: not evaluated yet · deep', 'third.trace.json: not evaluated yet');
  },

  async 'runs no timers when nothing happens'() {
    await waitFor('all timers to have gone off', [timers.onDidChange], () => timers.pending.length === 0 || undefined);
  },
});

function contextOf(key: string): unknown {
  const ofWindow: Record<string, unknown> = { workspaceFolderCount: 1, isWorkspaceTrusted: true };
  return ofWindow[key] ?? surfaces.contextOf(key);
}

async function copy(name: string): Promise<void> {
  await copyFile(file('refund.json').fsPath, file(name).fsPath);
}

/** The rows, once they are these and no others. */
async function listed(...expected: readonly (string | RegExp)[]) {
  const { onDidChangeTreeData } = extension().exports.results;
  return await waitFor(`the rows ${expected.join(', ')}`, [onDidChangeTreeData], async () => {
    const found = await rows();
    const texts = found.map(({ item }) => `${item.label}: ${item.description}`);
    const isSo = texts.every((text, at) => {
      const wanted = expected[at];
      return wanted instanceof RegExp ? wanted.test(text) : wanted === text;
    });
    return isSo && texts.length === expected.length ? found : undefined;
  });
}

async function set(traces: readonly string[] | undefined): Promise<void> {
  await vscode.workspace.getConfiguration('turnwise').update('traces', traces, vscode.ConfigurationTarget.Workspace);
}
