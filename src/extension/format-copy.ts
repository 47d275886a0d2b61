import { stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import { UserError } from './errors.ts';
import { formatJson } from './format-json.ts';
import { fileName } from './labels.ts';

/** A larger file makes a copy that is no use to a person, and much work for the editor. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;

/** VS Code gives extensions no text that is longer. */
const MAX_COPY_LENGTH = 50 * 1024 * 1024;

/** Opens a formatted copy of a file that has everything on one line, or a line for each document. */
export async function formatCopy(uri: vscode.Uri): Promise<void> {
  if (uri.scheme === 'file' && (await stat(uri.fsPath)).size > MAX_FILE_BYTES) throw tooLarge(uri);
  const source = await vscode.workspace.openTextDocument(uri);
  const content = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Formatting {0}…', fileName(uri)) },
    () => format(source.getText()),
  );
  if (content === null) throw tooLarge(uri);
  // Where documents follow one another, JSON is not what they are together.
  const language = /\.(jsonl|ndjson)$/i.test(uri.path) ? 'jsonl' : 'json';
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language, content }));
}

/** Null where it becomes too long. Everything else in the editor goes on meanwhile. */
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
