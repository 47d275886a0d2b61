import * as vscode from 'vscode';
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
