import * as vscode from 'vscode';
import { columnForFile } from './editor-columns.ts';

type OpenFileOptions = Omit<vscode.TextDocumentShowOptions, 'viewColumn'>;

/** Opens a file in a column without a report. */
export async function openFile(uri: vscode.Uri, options: OpenFileOptions = {}): Promise<void> {
  const { commands, ViewColumn } = vscode;
  // Unlike the API, the command also opens files that are too large for extensions.
  const openIn = (viewColumn: vscode.ViewColumn) =>
    commands.executeCommand('vscode.open', uri, { ...options, viewColumn });
  const column = columnForFile(uri);
  if (column !== undefined) await openIn(column);
  else if (options.preserveFocus) {
    await openIn(ViewColumn.Two);
    // The new column is active although the focus stays in the report.
    await commands.executeCommand('workbench.action.moveActiveEditorGroupLeft');
  } else {
    // A report that is taking the focus would be active after the file has opened.
    await commands.executeCommand('workbench.action.newGroupLeft');
    await openIn(ViewColumn.One);
  }
}
