import assert from 'node:assert/strict';
import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { suite } from '../../support/vscode/suite.ts';
import { allRows, diagnostics, extension, file, lenses, type Row, replace, row, rows, waitFor } from '../extension.ts';
import { UiRecorder } from '../ui-recorder.ts';

const surfaces = new UiRecorder();
const refund = file('refund.json');

/** Results, and how they stand to their files: never shown as if nothing had happened. */
export const run = suite({
  async 'what was just evaluated is marked as nothing in tree, lens and report'() {
    await vscode.window.showTextDocument(refund, { viewColumn: vscode.ViewColumn.One });
    await vscode.commands.executeCommand('turnwise.evaluate', refund, [refund]);
    await vscode.commands.executeCommand('turnwise.openReport', refund);
    await isMarked('fresh');
  },

  async 'a file that is changed on disk marks its results, and no longer when it is changed back'() {
    const before = await readFile(refund.fsPath, 'utf8');
    await writeFile(refund.fsPath, `${before}\n`);
    await isMarked('stale');
    await writeFile(refund.fsPath, before);
    await isMarked('fresh');
  },

  async 'what is typed marks the results, and no longer when it is undone'() {
    const editor = await vscode.window.showTextDocument(refund, { viewColumn: vscode.ViewColumn.One });
    await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), '\n\n'));
    await isMarked('stale');
    await vscode.commands.executeCommand('undo');
    await isMarked('fresh');
    assert.equal(editor.document.isDirty, false);
  },

  async 'lines that are typed above move what was found with the text'() {
    const [before] = await diagnostics(refund, (found) => found.length > 0);
    const editor = await vscode.window.showTextDocument(refund, { viewColumn: vscode.ViewColumn.One });
    await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), '\n\n'));
    const line = (before?.range.start.line ?? 0) + 2;
    await diagnostics(refund, (found) => found.some(({ range }) => range.start.line === line));
    await vscode.commands.executeCommand('undo');
    await isMarked('fresh');
  },

  async 'a saved file is evaluated again for what it says now'() {
    const document = await vscode.workspace.openTextDocument(refund);
    const original = document.getText();
    await replace(document, mended(original));
    await document.save();
    await diagnostics(refund, (found) => !found.some(isRepeated));
    await isMarked('fresh');
    await replace(document, original);
    await document.save();
    await diagnostics(refund, (found) => found.some(isRepeated));
    await isMarked('fresh');
  },

  async 'where saving does not evaluate, what is saved is marked, and evaluated when somebody asks'() {
    await set('evaluateOnSave', false);
    const document = await vscode.workspace.openTextDocument(refund);
    const original = document.getText();
    await replace(document, mended(original));
    await document.save();
    await isMarked('stale');
    await vscode.commands.executeCommand('turnwise.evaluate', refund.toString());
    await diagnostics(refund, (found) => !found.some(isRepeated));
    await isMarked('fresh');
    await replace(document, original);
    await document.save();
    await isMarked('stale');
    await set('evaluateOnSave', undefined);
    await vscode.commands.executeCommand('turnwise.evaluate', refund.toString());
    await isMarked('fresh');
  },

  async 'a configuration that comes, and one that goes, marks what was evaluated without it and with it'() {
    const configuration = file('turnwise.config.json');
    await writeFile(configuration.fsPath, '{ "rules": { "error-repeated-unchanged": "off" } }');
    await isMarked('stale');
    await vscode.commands.executeCommand('turnwise.evaluate', refund);
    await diagnostics(refund, (found) => !found.some(isRepeated));
    await isMarked('fresh');
    await rm(configuration.fsPath);
    await isMarked('stale');
    await vscode.commands.executeCommand('turnwise.evaluate', refund);
    await isMarked('fresh');
  },

  async 'a file that is renamed in the editor takes its results with it'() {
    await renamedInEditor(refund, file('renamed.json'));
    await isMoved(refund, file('renamed.json'));
    await renamedInEditor(file('renamed.json'), refund);
    await isMoved(file('renamed.json'), refund);
  },

  async 'a file that is renamed by something else takes its results with it'() {
    await rename(refund.fsPath, file('renamed.json').fsPath);
    await isMoved(refund, file('renamed.json'));
    await rename(file('renamed.json').fsPath, refund.fsPath);
    await isMoved(file('renamed.json'), refund);
  },

  async 'a folder that is renamed takes the results of what is in it with it'() {
    await vscode.workspace.fs.createDirectory(file('old'));
    await copyFile(refund.fsPath, file('old/copy.json').fsPath);
    await vscode.commands.executeCommand('turnwise.evaluate', file('old/copy.json'));
    await renamedInEditor(file('old'), file('new'));
    await isMoved(file('old/copy.json'), file('new/copy.json'));
  },

  async 'a folder that is deleted by something else marks what was in it as gone'() {
    await rm(file('new').fsPath, { recursive: true });
    const gone = await sessionOf(file('new/copy.json'), /^file deleted/);
    assert.match(String(gone.item.tooltip), /The file was deleted\./);
    assert.deepEqual(await diagnostics(file('new/copy.json'), (found) => found.length === 0), []);
  },

  async 'a file that is deleted in the editor, and comes back, is marked and is fresh again'() {
    const text = await readFile(refund.fsPath);
    await vscode.workspace.fs.delete(refund);
    await sessionOf(refund, /^file deleted/);
    await diagnostics(refund, (found) => found.length === 0);
    await writeFile(refund.fsPath, text);
    await sessionOf(refund, /^risk/);
    await diagnostics(refund, (found) => found.some(isRepeated));
  },

  async 'all is evaluated again but for what is gone, and what is gone can be cleared'() {
    surfaces.forget();
    await vscode.commands.executeCommand('turnwise.evaluateAll');
    assert.deepEqual(surfaces.said, []);
    await sessionOf(file('new/copy.json'), /^file deleted/);
    await sessionOf(refund, /^risk/);
    await vscode.commands.executeCommand('turnwise.clear');
    assert.deepEqual(await rows(), []);
  },
});

/** How the tree, the lenses and the report mark the results of the file, once they do. */
async function isMarked(state: 'fresh' | 'stale'): Promise<void> {
  const marked = await sessionOf(refund, state === 'stale' ? /^outdated/ : /^risk/);
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
  await diagnostics(from, (found) => found.length === 0);
  await diagnostics(to, (found) => found.some(isRepeated));
  await sessionOf(to, /^risk/);
  assert.ok(!(await allRows()).some(({ item }) => pathOf(item) === from.path));
}

/** Of the file that a session's row opens. */
function pathOf({ contextValue, command }: vscode.TreeItem): string | undefined {
  const [place] = command?.arguments ?? [];
  return contextValue === 'session' && typeof place?.uri === 'string' ? vscode.Uri.parse(place.uri).path : undefined;
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

function isRepeated({ code }: vscode.Diagnostic): boolean {
  return typeof code === 'object' && code.value === 'error-repeated-unchanged';
}

async function set(name: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration('turnwise').update(name, value, vscode.ConfigurationTarget.Workspace);
}
