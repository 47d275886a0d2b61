import * as vscode from 'vscode';

/** The size limit of documents for extensions: larger files get no annotations. */
const MAX_DOCUMENT_BYTES = 50 * 1024 * 1024;

/** Whether a file is too large for annotations; false for a missing file. */
export async function exceedsSizeLimit(uri: string): Promise<boolean> {
  try {
    return (await vscode.workspace.fs.stat(vscode.Uri.parse(uri))).size > MAX_DOCUMENT_BYTES;
  } catch {
    return false;
  }
}
