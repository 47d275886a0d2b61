import assert from 'node:assert/strict';
import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { sessionUri } from '../../../src/protocol/panel.ts';
import { suite } from '../../support/vscode/suite.ts';
import { boundCommand } from '../editor-features.ts';
import {
  allRows,
  diagnostics,
  edit,
  extension,
  file,
  lenses,
  type Row,
  replace,
  row,
  rows,
  waitFor,
} from '../extension.ts';
import { UiRecorder } from '../ui-recorder.ts';

const surfaces = new UiRecorder();
const refund = file('refund.json');
/** Where refund.json repeats a call that failed, counted from one. */
const REPEATED_LINE = 61;

/** Results, and how they stand to their files: never shown as if nothing had happened. */
export const run = suite({
  async 'shows no mark on new results in tree, lens and report'() {
    await vscode.window.showTextDocument(refund, { viewColumn: vscode.ViewColumn.One });
    await vscode.commands.executeCommand('turnwise.evaluate', refund, [refund]);
    await vscode.commands.executeCommand('turnwise.openReportToSide', refund);
    await isMarked('fresh');
  },

  async 'marks results when their file changes on disk, until it is changed back'() {
    const before = await readFile(refund.fsPath, 'utf8');
    await writeFile(refund.fsPath, `${before}\n`);
    await isMarked('stale');
    await writeFile(refund.fsPath, before);
    await isMarked('fresh');
  },

  async 'marks results when their file is edited, until the edit is undone'() {
    const editor = await vscode.window.showTextDocument(refund, { viewColumn: vscode.ViewColumn.One });
    await edit(editor, (builder) => builder.insert(new vscode.Position(0, 0), '\n\n'));
    await isMarked('stale');
    await vscode.commands.executeCommand('undo');
    await isMarked('fresh');
    assert.equal(editor.document.isDirty, false);
  },

  async 'moves findings with lines typed above them'() {
    await diagnostics(refund, isRepeatedAt(REPEATED_LINE));
    const editor = await vscode.window.showTextDocument(refund, { viewColumn: vscode.ViewColumn.One });
    await edit(editor, (builder) => builder.insert(new vscode.Position(0, 0), '\n\n'));
    await diagnostics(refund, isRepeatedAt(REPEATED_LINE + 2));
    await vscode.commands.executeCommand('undo');
    await diagnostics(refund, isRepeatedAt(REPEATED_LINE));
    await isMarked('fresh');
  },

  async 'evaluates a saved file again'() {
    const document = await vscode.workspace.openTextDocument(refund);
    const original = document.getText();
    await replace(document, mended(original));
    await document.save();
    await diagnostics(refund, (diagnostics) => !diagnostics.some(isRepeated));
    await isMarked('fresh');
    await replace(document, original);
    await document.save();
    await diagnostics(refund, (diagnostics) => diagnostics.some(isRepeated));
    await isMarked('fresh');
  },

  async 'marks results of a saved file when evaluation on save is off, until it is evaluated'() {
    await set('evaluateOnSave', false);
    const document = await vscode.workspace.openTextDocument(refund);
    const original = document.getText();
    await replace(document, mended(original));
    await document.save();
    await isMarked('stale');
    await vscode.commands.executeCommand('turnwise.evaluate', refund.toString());
    await diagnostics(refund, (diagnostics) => !diagnostics.some(isRepeated));
    await isMarked('fresh');
    await replace(document, original);
    await document.save();
    await isMarked('stale');
    await set('evaluateOnSave', undefined);
    await vscode.commands.executeCommand('turnwise.evaluate', refund.toString());
    await isMarked('fresh');
  },

  async 'marks results when a configuration is created or deleted'() {
    const configuration = file('turnwise.config.json');
    await writeFile(configuration.fsPath, '{ "rules": { "error-repeated-unchanged": "off" } }');
    await isMarked('stale');
    await vscode.commands.executeCommand('turnwise.evaluate', refund);
    await diagnostics(refund, (diagnostics) => !diagnostics.some(isRepeated));
    await isMarked('fresh');
    await rm(configuration.fsPath);
    await isMarked('stale');
    await vscode.commands.executeCommand('turnwise.evaluate', refund);
    await isMarked('fresh');
  },

  async 'keeps the results of a file that is renamed in the editor'() {
    await renamedInEditor(refund, file('renamed.json'));
    await isMoved(refund, file('renamed.json'));
    await renamedInEditor(file('renamed.json'), refund);
    await isMoved(file('renamed.json'), refund);
  },

  async 'keeps the results of a file that another program renames'() {
    await rename(refund.fsPath, file('renamed.json').fsPath);
    await isMoved(refund, file('renamed.json'));
    await rename(file('renamed.json').fsPath, refund.fsPath);
    await isMoved(file('renamed.json'), refund);
  },

  async 'keeps the results of the files in a renamed folder'() {
    await vscode.workspace.fs.createDirectory(file('old'));
    await copyFile(refund.fsPath, file('old/copy.json').fsPath);
    await vscode.commands.executeCommand('turnwise.evaluate', file('old/copy.json'));
    await renamedInEditor(file('old'), file('new'));
    await isMoved(file('old/copy.json'), file('new/copy.json'));
  },

  async 'marks the files of a folder that another program deletes as deleted'() {
    await rm(file('new').fsPath, { recursive: true });
    const gone = await sessionOf(file('new/copy.json'), /file deleted/);
    assert.match(String(gone.item.tooltip), /The file was deleted\./);
    assert.deepEqual(await diagnostics(file('new/copy.json'), (diagnostics) => diagnostics.length === 0), []);
  },

  async 'marks the results of a file that is deleted in the editor until it is restored'() {
    const text = await readFile(refund.fsPath);
    await vscode.workspace.fs.delete(refund);
    await sessionOf(refund, /file deleted/);
    await diagnostics(refund, (diagnostics) => diagnostics.length === 0);
    await writeFile(refund.fsPath, text);
    await sessionOf(refund, RESULT);
    await diagnostics(refund, (diagnostics) => diagnostics.some(isRepeated));
  },

  async 'evaluates all files except deleted ones, whose results can be cleared'() {
    surfaces.forget();
    await vscode.commands.executeCommand('turnwise.evaluateAll');
    assert.deepEqual(
      surfaces.said.map(({ text }) => text),
      ['1 more file looks like a trace and was not evaluated.'],
    );
    await sessionOf(file('new/copy.json'), /file deleted/);
    await sessionOf(refund, RESULT);
    await vscode.commands.executeCommand('turnwise.clear');
    assert.deepEqual(await rows(), []);
  },
});

/** A row with results that are not outdated. */
const RESULT = /^(?!evaluating|not evaluated|.*outdated)./;

/** How the tree, the lenses and the report mark the results of the file, once they do. */
async function isMarked(state: 'fresh' | 'stale'): Promise<void> {
  const marked = await sessionOf(refund, state === 'stale' ? /outdated/ : RESULT);
  assert.equal(/Outdated: /.test(String(marked.item.tooltip)), state === 'stale');
  const { onDidChangeTreeData } = extension().exports.results;
  await waitFor(`the lens to be ${state}`, [onDidChangeTreeData], async () => {
    return (await lenses(refund)).includes('Evaluate Again') === (state === 'stale') || undefined;
  });
  await waitFor(`the report to be ${state}`, [surfaces.onDidChange], () => {
    return surfaces.posted.findLast((post) => post.includes('"state":"'))?.includes(`"state":"${state}"`) || undefined;
  });
}

function sessionOf(uri: vscode.Uri, description: RegExp): Promise<Row> {
  return row(
    `the row of ${uri.path} to say ${description}`,
    (item) => pathOf(item) === uri.path && description.test(String(item.description)),
  );
}

async function isMoved(from: vscode.Uri, to: vscode.Uri): Promise<void> {
  await diagnostics(from, (diagnostics) => diagnostics.length === 0);
  await diagnostics(to, (diagnostics) => diagnostics.some(isRepeated));
  await sessionOf(to, RESULT);
  assert.ok(!(await allRows()).some(({ item }) => pathOf(item) === from.path));
}

/** Of the file that a session's row opens. */
function pathOf({ contextValue, command }: vscode.TreeItem): string | undefined {
  if (contextValue !== 'session' || !command) return undefined;
  const [target] = boundCommand(command).arguments ?? [];
  return vscode.Uri.parse(sessionUri(target.session)).path;
}

async function renamedInEditor(from: vscode.Uri, to: vscode.Uri): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.renameFile(from, to);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

/** Without the calls that repeat what failed. */
function mended(text: string): string {
  const trace = JSON.parse(text);
  trace.messages.splice(8, 4);
  return JSON.stringify(trace, null, 2);
}

function isRepeatedAt(line: number) {
  return (diagnostics: readonly vscode.Diagnostic[]) =>
    diagnostics.some((diagnostic) => isRepeated(diagnostic) && diagnostic.range.start.line + 1 === line);
}

function isRepeated({ code }: vscode.Diagnostic): boolean {
  return typeof code === 'object' && code.value === 'error-repeated-unchanged';
}

async function set(name: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration('turnwise').update(name, value, vscode.ConfigurationTarget.Workspace);
}
