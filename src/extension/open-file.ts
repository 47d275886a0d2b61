import * as vscode from 'vscode';
import type { Place } from '../protocol/messages.ts';
import { columnOfFile } from './columns.ts';

type Options = Omit<vscode.TextDocumentShowOptions, 'viewColumn'>;

/** Opens a file in a column that shows no report. */
export async function openFile(uri: vscode.Uri, options: Options = {}): Promise<void> {
  const column = columnOfFile(uri);
  const viewColumn = column ?? vscode.ViewColumn.Two;
  // The command, unlike the function, also opens files that are too large for extensions.
  await vscode.commands.executeCommand('vscode.open', uri, { ...options, viewColumn });
  // The new column is the active one, also where the focus stays in the report.
  if (column === undefined) await vscode.commands.executeCommand('workbench.action.moveActiveEditorGroupLeft');
}

export async function openPlace({ uri, range }: Place, options: Options): Promise<void> {
  await openFile(vscode.Uri.parse(uri), { ...options, selection: rangeOf(range) });
}

export function rangeOf({ start, end }: Place['range']): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
