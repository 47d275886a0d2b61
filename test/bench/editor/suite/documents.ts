import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';

export function file(name: string): vscode.Uri {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (!folder) throw new Error('No folder is open.');
  return vscode.Uri.joinPath(folder.uri, name);
}

/** Shows a file. @returns how long that took, in milliseconds. */
export async function showDocument(uri: vscode.Uri): Promise<number> {
  const started = performance.now();
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
  return performance.now() - started;
}

/** Lenses of Turnwise above a file, as VS Code gets them. */
async function lensesOf(uri: vscode.Uri): Promise<vscode.CodeLens[]> {
  const all = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 1);
  return all.filter(({ command }) => command?.command.startsWith('turnwise.'));
}

/** Waits for the first lens above a file. */
export async function firstLens(uri: vscode.Uri): Promise<void> {
  while ((await lensesOf(uri)).length === 0) await setTimeout(POLL_MS);
}

const POLL_MS = 5;

/** Types so many letters in the middle of a file, as fast as a person does. */
export async function typeLetters(uri: vscode.Uri, letters: number): Promise<void> {
  const editor = await vscode.window.showTextDocument(uri);
  const middle = new vscode.Position(Math.floor(editor.document.lineCount / 2), 0);
  editor.selection = new vscode.Selection(middle, middle);
  for (let letter = 0; letter < letters; letter += 1) {
    await vscode.commands.executeCommand('type', { text: ' ' });
    await setTimeout(BETWEEN_LETTERS_MS);
  }
}

const BETWEEN_LETTERS_MS = 100;

export async function revertDocument(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.files.revert');
}
