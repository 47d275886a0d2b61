import assert from 'node:assert/strict';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Api } from '../../src/extension/main.ts';
import { processesOf } from '../support/vscode/processes.ts';
import { within } from '../support/vscode/within.ts';

export function extension(): vscode.Extension<Api> {
  const found = vscode.extensions.getExtension<Api>('turnwise.turnwise');
  assert.ok(found, 'The extension is not installed.');
  return found;
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
  readonly node: Parameters<Api['results']['getTreeItem']>[0];
  readonly item: vscode.TreeItem;
}

export async function rows(parent?: Row): Promise<Row[]> {
  const { results } = extension().exports;
  const nodes = await results.getChildren(parent?.node);
  return nodes.map((node) => ({ node, item: results.getTreeItem(node) }));
}

/** Turnwise's diagnostics of a file, once they are as expected. */
export async function diagnostics(
  uri: vscode.Uri,
  isExpected: (found: readonly vscode.Diagnostic[]) => boolean,
): Promise<vscode.Diagnostic[]> {
  const now = (): vscode.Diagnostic[] =>
    vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'Turnwise');
  const { promise, resolve } = Promise.withResolvers<vscode.Diagnostic[]>();
  const look = (): void => {
    const found = now();
    if (isExpected(found)) resolve(found);
  };
  const listener = vscode.languages.onDidChangeDiagnostics(look);
  try {
    look();
    return await within(10_000, `the diagnostics of ${uri.path}`, promise);
  } finally {
    listener.dispose();
  }
}

export async function replace(document: vscode.TextDocument, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  const all = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
  edit.replace(document.uri, all, text);
  assert.ok(await vscode.workspace.applyEdit(edit));
}
