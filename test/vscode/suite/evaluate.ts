import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { suite } from '../../support/vscode/suite.ts';
import { boundCommand } from '../editor-features.ts';
import { diagnostics, extension, file, folder, replace, rows, servers } from '../extension.ts';

const isRepeated = ({ code }: vscode.Diagnostic) => codeOf(code) === 'error-repeated-unchanged';

export const run = suite({
  async 'starts nothing before it is needed'() {
    assert.equal(extension().isActive, false);
    assert.deepEqual(servers(), []);
  },

  async 'shows the problems of an evaluated trace on the JSON that proves them'() {
    const uri = file('refund.json');
    await vscode.commands.executeCommand('turnwise.evaluate', uri, [uri]);
    const found = await diagnostics(uri, (some) => some.some(isRepeated));
    const repeated = found.filter(isRepeated);
    assert.equal(repeated.length, 1);
    const [diagnostic] = repeated;
    assert.equal(diagnostic?.source, 'Turnwise');
    assert.equal(diagnostic.severity, vscode.DiagnosticSeverity.Warning);
    assert.match(diagnostic.message, /refund_order/);
    const document = await vscode.workspace.openTextDocument(uri);
    const call = JSON.parse(document.getText(diagnostic.range));
    assert.deepEqual(call, JSON.parse(document.getText()).messages[8].tool_calls[0]);
    assert.equal(servers().length, 1);
  },

  async 'registers exactly the commands of the manifest'() {
    const { commands } = extension().packageJSON.contributes;
    const contributed: string[] = commands.map(({ command }: { command: string }) => command);
    const all = await vscode.commands.getCommands(true);
    const registered = all.filter((name) => /^turnwise\.\w+$/.test(name));
    assert.deepEqual(registered.sort(), contributed.sort());
  },

  async 'lists the session with its headline and its problems'() {
    const [session] = await rows();
    assert.equal(session?.item.label, 'refund.json');
    assert.match(
      session.item.accessibilityInformation?.label ?? '',
      /^refund\.json, 2 problems, worst medium: .*, risk Elevated/,
    );
    assert.equal(session.item.collapsibleState, vscode.TreeItemCollapsibleState.Expanded);
    const failures = await rows(session);
    const repeated = failures.find(({ item }) => String(item.description).startsWith('Failed call repeated unchanged'));
    assert.equal(repeated?.item.label, 'Turn 2');
  },

  async 'opens a problem in the source with the cursor at its JSON'() {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const [session] = await rows();
    assert.ok(session);
    const [failure] = await rows(session);
    assert.ok(failure?.item.command);
    assert.equal(boundCommand(failure.item.command).command, 'turnwise.openReport');
    await vscode.commands.executeCommand('turnwise.openJson', failure.node);
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.toString(), file('refund.json').toString());
    const diagnostics = vscode.languages.getDiagnostics(editor.document.uri);
    assert.ok(diagnostics.some(({ range }) => range.start.isEqual(editor.selection.active)));
    assert.equal(editor.selection.isEmpty, true);
  },

  async 'evaluates a saved edit and removes the fixed problem'() {
    const uri = file('refund.json');
    const document = await vscode.workspace.openTextDocument(uri);
    const original = document.getText();
    const mended = JSON.parse(original);
    mended.messages.splice(8, 4);
    await replace(document, JSON.stringify(mended, null, 2));
    assert.equal(document.isDirty, true);
    const gone = diagnostics(uri, (some) => !some.some(isRepeated));
    await vscode.commands.executeCommand('turnwise.evaluate', uri);
    await gone;
    assert.equal(document.isDirty, false);
    await replace(document, original);
    await document.save();
  },

  async 'evaluates several files together and lists the riskiest session first'() {
    const uris = [file('delivery.json'), file('refund.json')];
    await vscode.commands.executeCommand('turnwise.evaluate', uris[0], uris);
    assert.deepEqual(
      (await rows()).map(({ item }) => item.label),
      ['refund.json', 'delivery.json'],
    );
  },

  async 'evaluates all traces of a folder and replaces earlier results'() {
    const uri = folder();
    await vscode.commands.executeCommand('turnwise.evaluateFolder', uri, [uri]);
    assert.equal((await rows()).length, 2);
  },

  async 'lists a broken file in one row that opens the location of the error, and keeps other results'() {
    const path = join(folder().fsPath, 'broken.json');
    await writeFile(path, '[\n  { "role": "user", "content": "Hello" },\n  { "role": \n');
    await vscode.commands.executeCommand('turnwise.evaluate', vscode.Uri.file(path));
    const all = await rows();
    assert.deepEqual(
      all.map(({ item }) => item.label),
      ['refund.json', 'delivery.json', 'Unreadable'],
    );
    const [problem] = await rows(all[2]);
    assert.equal(problem?.item.label, 'broken.json');
    assert.match(String(problem.item.description), /\.$/);
    assert.equal(servers().length, 1);
  },

  async 'removes diagnostics with cleared results'() {
    const gone = diagnostics(file('refund.json'), (some) => some.length === 0);
    await vscode.commands.executeCommand('turnwise.clear');
    await gone;
    assert.deepEqual(await rows(), []);
  },

  async 'keeps earlier results when an evaluation is stopped'() {
    const uri = file('delivery.json');
    let isOver = false;
    const evaluated = vscode.commands.executeCommand('turnwise.evaluate', uri).then(() => {
      isOver = true;
    });
    // Whenever it is pressed, and however often.
    while (!isOver) {
      await vscode.commands.executeCommand('turnwise.stop');
      await new Promise((resolve) => setImmediate(resolve));
    }
    await evaluated;
    assert.deepEqual(await rows(), []);
  },

  async 'restarts a crashed server with its results'() {
    const uri = file('refund.json');
    await vscode.commands.executeCommand('turnwise.evaluate', uri);
    const [broken] = servers();
    // The evaluation may end before its last diagnostics have arrived.
    const before = await diagnostics(uri, ({ length }) => length === 2);
    const gone = diagnostics(uri, (some) => some.length === 0);
    if (broken !== undefined) process.kill(broken, 'SIGKILL');
    await gone;
    await diagnostics(uri, (some) => isDeepStrictEqual(some, before));
    assert.equal((await rows()).length, 1);
    assert.equal(servers().length, 1);
    assert.notEqual(servers()[0], broken);
  },
});

/** A code comes with a link, where its rule has a page. */
function codeOf(code: vscode.Diagnostic['code']): unknown {
  return typeof code === 'object' ? code.value : code;
}
