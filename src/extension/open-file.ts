import * as vscode from 'vscode';
import { columnForFile } from './editor-columns.ts';

type OpenFileOptions = Omit<vscode.TextDocumentShowOptions, 'viewColumn'>;

/** Whether a file is a log of Inspect AI as an archive, which no text editor shows. */
export function isArchive({ path }: vscode.Uri): boolean {
  return /\.eval$/i.test(path);
}

/** Opens a file in a column without a report; an archive as its report, where that is open or in the active column. */
export async function openFile(uri: vscode.Uri, options: OpenFileOptions = {}): Promise<void> {
  const { commands, ViewColumn } = vscode;
  // As text, also where the user prefers reports for such files. VS Code documents no `override`; its Git extension uses it too.
  const asText = isArchive(uri) ? {} : { override: false };
  // Unlike the API, the command also opens files that are too large for extensions.
  const openIn = (viewColumn: vscode.ViewColumn) =>
    commands.executeCommand('vscode.open', uri, { ...options, ...asText, viewColumn });
  const column = isArchive(uri) ? ViewColumn.Active : columnForFile(uri);
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
