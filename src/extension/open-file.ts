import * as vscode from 'vscode';
import type { FileLocation } from '../protocol/messages.ts';
import { columnForFile } from './editor-columns.ts';

type OpenFileOptions = Omit<vscode.TextDocumentShowOptions, 'viewColumn'>;

/** Opens a file in a column without a report. */
export async function openFile(uri: vscode.Uri, options: OpenFileOptions = {}): Promise<void> {
  const column = columnForFile(uri);
  const viewColumn = column ?? vscode.ViewColumn.Two;
  // Unlike the API, the command also opens files that are too large for extensions.
  await vscode.commands.executeCommand('vscode.open', uri, { ...options, viewColumn });
  // The new column is active even when the focus stays in the report.
  if (column === undefined) await vscode.commands.executeCommand('workbench.action.moveActiveEditorGroupLeft');
}

export async function openLocation({ uri, range }: FileLocation, options: OpenFileOptions): Promise<void> {
  await openFile(vscode.Uri.parse(uri), { ...options, selection: toRange(range) });
}

export function toRange({ start, end }: FileLocation['range']): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
