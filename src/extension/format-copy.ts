import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import { UserError } from './errors.ts';
import { formatJson } from './format-json.ts';
import { fileName } from './labels.ts';

/** Larger copies are of no use and slow down the editor. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;

/** The size limit of documents for extensions. */
const MAX_COPY_LENGTH = 50 * 1024 * 1024;

/** Opens a formatted copy of a JSON or JSON Lines file. */
export async function formatCopy(uri: vscode.Uri): Promise<void> {
  if (uri.scheme === 'file' && (await vscode.workspace.fs.stat(uri)).size > MAX_FILE_BYTES) throw tooLarge(uri);
  const source = await vscode.workspace.openTextDocument(uri);
  const content = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Formatting {0}…', fileName(uri)) },
    () => format(source.getText()),
  );
  if (content === null) throw tooLarge(uri);
  // Several formatted documents are not one JSON value.
  const language = /\.(jsonl|ndjson)$/i.test(uri.path) ? 'jsonl' : 'json';
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language, content }));
}

/** Null where the result is too long. Yields to other work between the chunks. */
async function format(text: string): Promise<string | null> {
  const pieces: string[] = [];
  let length = 0;
  for (const piece of formatJson(text)) {
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_COPY_LENGTH) return null;
    await setImmediate();
  }
  return pieces.join('');
}

function tooLarge(uri: vscode.Uri): UserError {
  return new UserError(
    vscode.l10n.t(
      '{0} is too large to format in the editor (limit: 20 MB). Use a tool such as `jq . file`.',
      fileName(uri),
    ),
  );
}
