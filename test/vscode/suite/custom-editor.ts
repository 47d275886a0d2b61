import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import * as vscode from 'vscode';
import { getArray, isObject } from '../../../src/core/json.ts';
import { suite } from '../../support/vscode/suite.ts';
import { file, row, rows, waitFor } from '../extension.ts';
import { UiRecorder } from '../ui-recorder.ts';

const REPOSITORY = process.env.TURNWISE_TEST_REPOSITORY ?? '';

const surfaces = new UiRecorder();
const { tabGroups } = vscode.window;
const archive = file('log.eval');

/** Traces that are opened as their reports. */
export const run = suite({
  async 'opens an archive of Inspect AI as its report'() {
    await writeFile(archive.fsPath, await packedLog());
    await vscode.commands.executeCommand('vscode.open', archive);
    await editorIs(archive, 'turnwise.evalReport');
    await reportIsShown();
    assert.deepEqual(surfaces.said, []);
    assert.equal((await rows())[0]?.item.label, 'log.eval');
  },

  async 'never opens an archive as text'() {
    const session = await row('the session of the archive', ({ contextValue }) => contextValue === 'session');
    await vscode.commands.executeCommand('turnwise.openJson', session.node);
    await editorIs(archive, 'turnwise.evalReport');
    await vscode.commands.executeCommand('turnwise.openReport', session.node);
    assert.deepEqual(tabs(), ['log.eval']);
    assert.deepEqual(vscode.window.visibleTextEditors, []);
    assert.deepEqual(surfaces.said, []);
  },

  async 'shows the report again after its editor was closed'() {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    surfaces.forget();
    await vscode.commands.executeCommand('vscode.openWith', archive, 'turnwise.evalReport');
    await reportIsShown();
  },

  async 'opens a JSON trace as its report on request only, and its lines as text to the left'() {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const refund = file('refund.json');
    surfaces.forget();
    await vscode.commands.executeCommand('vscode.openWith', refund, 'turnwise.traceReport');
    await editorIs(refund, 'turnwise.traceReport');
    await reportIsShown();
    const session = await row('the session of the trace', ({ label }) => label === 'refund.json');
    await vscode.commands.executeCommand('turnwise.openJson', session.node);
    await textIsToTheLeft();
  },

  async 'opens lines as text also where the user prefers reports'() {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const associations = vscode.workspace.getConfiguration('workbench');
    await associations.update('editorAssociations', { '*.json': 'turnwise.traceReport' }, true);
    const refund = file('refund.json');
    await vscode.commands.executeCommand('vscode.open', refund);
    await editorIs(refund, 'turnwise.traceReport');
    const session = await row('the session of the trace', ({ label }) => label === 'refund.json');
    await vscode.commands.executeCommand('turnwise.openJson', session.node);
    await textIsToTheLeft();
    await associations.update('editorAssociations', undefined, true);
  },
});

async function textIsToTheLeft(): Promise<void> {
  await waitFor('the trace as text', [tabGroups.onDidChangeTabs, tabGroups.onDidChangeTabGroups], () => {
    const [left, right] = tabGroups.all.toSorted((a, b) => a.viewColumn - b.viewColumn);
    const isText = left?.activeTab?.input instanceof vscode.TabInputText;
    return (isText && right?.activeTab?.input instanceof vscode.TabInputCustom) || undefined;
  });
}

/** The log of the test data as the archive that Inspect AI writes. */
async function packedLog(): Promise<Uint8Array> {
  const path = join(REPOSITORY, 'test', 'fixtures', 'formats', 'inspect-ai.json');
  const log: unknown = JSON.parse(await readFile(path, 'utf8'));
  assert.ok(isObject(log));
  const { samples: _, ...header } = log;
  const files = (getArray(log, 'samples') ?? []).map((sample, index) => [`samples/${index}.json`, sample] as const);
  const all = [['header.json', header] as const, ...files];
  return zipSync(Object.fromEntries(all.map(([name, value]) => [name, strToU8(JSON.stringify(value))])));
}

async function editorIs(uri: vscode.Uri, viewType: string): Promise<void> {
  await waitFor(`${uri.path} as ${viewType}`, [tabGroups.onDidChangeTabs, tabGroups.onDidChangeTabGroups], () => {
    const input = tabGroups.activeTabGroup.activeTab?.input;
    if (!(input instanceof vscode.TabInputCustom)) return undefined;
    return (input.uri.toString() === uri.toString() && input.viewType === viewType) || undefined;
  });
}

async function reportIsShown(): Promise<void> {
  await waitFor('the report', [surfaces.onDidChange], () => surfaces.posted.find((post) => post.includes('"state":"')));
}

function tabs(): string[] {
  return tabGroups.all.flatMap((group) => group.tabs.map(({ label }) => label));
}
