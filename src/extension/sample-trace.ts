import * as vscode from 'vscode';
import type { CommandContext } from './command-context.ts';

/** An agent that reports success after a refund failed. */
const SAMPLE = 'refund-claimed-after-error.json';

/** A copy of the sample trace, which the user may edit. One that was edited stays as it is. */
export async function copySample({
  extensionUri,
  globalStorageUri,
}: Pick<CommandContext, 'extensionUri' | 'globalStorageUri'>): Promise<vscode.Uri> {
  const folder = vscode.Uri.joinPath(globalStorageUri, 'samples');
  const copy = vscode.Uri.joinPath(folder, SAMPLE);
  const isThere = await vscode.workspace.fs.stat(copy).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    await vscode.workspace.fs.createDirectory(folder);
    await vscode.workspace.fs.copy(vscode.Uri.joinPath(extensionUri, 'samples', SAMPLE), copy);
  }
  return copy;
}
