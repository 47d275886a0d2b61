import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { ExtensionApi } from '../../src/extension/main.ts';
import { processesOf } from '../support/vscode/processes.ts';
import { withTimeout } from '../support/vscode/timeout.ts';

/** Long enough for a busy machine: only a test that fails waits so long. */
const WAIT_MS = 30_000;

export function extension(): vscode.Extension<ExtensionApi> {
  const extension = vscode.extensions.getExtension<ExtensionApi>('turnwise.turnwise');
  assert.ok(extension, 'The extension is not installed.');
  return extension;
}

export function folder(): vscode.Uri {
  const [first] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(first, 'No folder is open.');
  return first.uri;
}

export function file(name: string): vscode.Uri {
  return vscode.Uri.joinPath(folder(), name);
}

export function servers(): number[] {
  return processesOf(join(extension().extensionPath, 'dist', 'server.js'));
}

export interface Row {
  readonly node: Parameters<ExtensionApi['results']['getTreeItem']>[0];
  readonly item: vscode.TreeItem;
}

/** Without the row of files that only look like traces: when it appears depends on when nothing else is done. */
export async function rows(parent?: Row): Promise<Row[]> {
  const { results } = extension().exports;
  const nodes = (await results.getChildren(parent?.node)).filter(({ type }) => type !== 'lookalikes');
  return nodes.map((node) => ({ node, item: results.getTreeItem(node) }));
}

/** Turnwise's diagnostics of a file, once they are as expected. */
export async function diagnostics(
  uri: vscode.Uri,
  isExpected: (diagnostics: readonly vscode.Diagnostic[]) => boolean,
): Promise<vscode.Diagnostic[]> {
  const now = (): vscode.Diagnostic[] =>
    vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'Turnwise');
  const { promise, resolve } = Promise.withResolvers<vscode.Diagnostic[]>();
  const look = (): void => {
    const diagnostics = now();
    if (isExpected(diagnostics)) resolve(diagnostics);
  };
  const listener = vscode.languages.onDidChangeDiagnostics(look);
  try {
    look();
    return await withTimeout(WAIT_MS, `the diagnostics of ${uri.path}`, promise);
  } finally {
    listener.dispose();
  }
}

/** Edits as a person does. VS Code refuses an edit while its editor catches up with a change on disk: then it is made again. */
export async function edit(editor: vscode.TextEditor, change: (builder: vscode.TextEditorEdit) => void): Promise<void> {
  for (let tries = 0; !(await editor.edit(change)); tries += 1) {
    assert.ok(tries < 20, `VS Code refuses to edit ${editor.document.uri.path}.`);
    await setTimeout(100);
  }
}

export async function replace(document: vscode.TextDocument, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  const all = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
  edit.replace(document.uri, all, text);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

/** What a test waits for, looked at now and again whenever one of these events comes. Answers what it saw. */
export async function waitFor<Seen>(
  what: string,
  events: readonly vscode.Event<unknown>[],
  look: () => Promise<Seen | undefined> | Seen | undefined,
): Promise<Seen> {
  const { promise, resolve, reject } = Promise.withResolvers<Seen>();
  let isLooking = false;
  let isDue = false;
  const lookWhileDue = async (): Promise<void> => {
    while (isDue) {
      isDue = false;
      const seen = await look();
      // Who has seen it looks no more.
      if (seen !== undefined) return resolve(seen);
    }
    isLooking = false;
  };
  const lookAgain = (): void => {
    isDue = true;
    if (isLooking) return;
    isLooking = true;
    lookWhileDue().catch(reject);
  };
  const listeners = events.map((event) => event(lookAgain));
  try {
    lookAgain();
    return await withTimeout(WAIT_MS, what, promise);
  } finally {
    for (const listener of listeners) listener.dispose();
  }
}

/** The rows of the tree, once there is one as wanted, at any depth. */
export function row(what: string, isWanted: (item: vscode.TreeItem) => boolean): Promise<Row> {
  const { onDidChangeTreeData } = extension().exports.results;
  return waitFor(what, [onDidChangeTreeData], async () => (await allRows()).find(({ item }) => isWanted(item)));
}

/** All rows, each followed by those beneath it. */
export async function allRows(parent?: Row): Promise<Row[]> {
  const found = await rows(parent);
  return (await Promise.all(found.map(async (row) => [row, ...(await allRows(row))]))).flat();
}

/** What the lenses of a file say. */
export async function lenses(uri: vscode.Uri): Promise<string[]> {
  await vscode.workspace.openTextDocument(uri);
  const all = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 1000);
  return all.map(({ command }) => command?.title ?? '');
}
