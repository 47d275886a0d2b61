import * as vscode from 'vscode';
import { columnForFile } from './editor-columns.ts';

type OpenFileOptions = Omit<vscode.TextDocumentShowOptions, 'viewColumn'>;

/** Opens a file in a column without a report. */
export async function openFile(uri: vscode.Uri, options: OpenFileOptions = {}): Promise<void> {
  const column = columnForFile(uri);
  // A column that exists before the file opens: which column is active afterwards depends on when the report takes the focus.
  if (column === undefined) await vscode.commands.executeCommand('workbench.action.newGroupLeft');
  // Unlike the API, the command also opens files that are too large for extensions.
  await vscode.commands.executeCommand('vscode.open', uri, { ...options, viewColumn: column ?? vscode.ViewColumn.One });
  // The new column took the focus of the report, which is now in the second one.
  if (column === undefined && options.preserveFocus) {
    await vscode.commands.executeCommand('workbench.action.focusSecondEditorGroup');
  }
}
