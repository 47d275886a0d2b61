import { TextDocumentSyncKind } from 'vscode-languageserver/node';
import { documentEdited } from '../../protocol/messages.ts';
import { onNotification } from '../../protocol/rpc.ts';
import { toTextDelta } from '../../protocol/text-delta.ts';
import type { Feature, ServerContext } from '../context.ts';
import { uriToPath } from '../disk/paths.ts';
import { evaluateSaved } from './evaluate-on-save.ts';

/** Follows typing and saving. Keeps where documents were edited, not their texts. */
export const documentSync: Feature = (context) => {
  const { connection, settings } = context;
  connection.onDidSaveTextDocument(({ textDocument: { uri } }) => onSaved(uri, context));
  onNotification(connection, documentEdited, ({ uri, edits, isDirty }) => {
    const path = uriToPath(uri);
    if (path === null) return;
    if (isDirty || edits.length > 0) context.staleness.addEdits(path, edits);
    if (!isDirty) void context.staleness.markClean(path);
  });
  // The extension reports edits without the texts.
  if (settings().client === 'vscode') {
    return { textDocumentSync: { openClose: false, change: TextDocumentSyncKind.None, save: true } };
  }
  syncDocuments(context);
  return { textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true } };
};

function syncDocuments({ connection, staleness, restore }: ServerContext): void {
  connection.onDidOpenTextDocument(async ({ textDocument: { uri } }) => {
    const path = uriToPath(uri);
    if (path !== null) await restore([path]);
  });
  connection.onDidChangeTextDocument(({ textDocument: { uri }, contentChanges }) => {
    const path = uriToPath(uri);
    if (path === null) return;
    // Without a range, the whole text was replaced, and ranges cannot be mapped.
    const edits = contentChanges.flatMap((change) =>
      'range' in change ? [toTextDelta(change.range, change.text)] : [],
    );
    staleness.addEdits(path, edits);
  });
  connection.onDidCloseTextDocument(async ({ textDocument: { uri } }) => {
    const path = uriToPath(uri);
    if (path !== null) await staleness.markClean(path);
  });
}

async function onSaved(uri: string, context: ServerContext): Promise<void> {
  const path = uriToPath(uri);
  if (path === null) return;
  await context.staleness.markClean(path);
  if (context.settings().evaluateOnSave) await evaluateSaved(context.staleness.filesToEvaluate(path), context);
}
