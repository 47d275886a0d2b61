import { TextDocumentSyncKind } from 'vscode-languageserver/node';
import { edited } from '../../protocol/messages.ts';
import { listen } from '../../protocol/request.ts';
import { editOf } from '../../protocol/text-edit.ts';
import type { Context, Feature } from '../context.ts';
import { pathOf } from '../disk/folders.ts';
import { evaluateSaved } from './saving.ts';

/** What is typed and saved. Of texts nothing is kept: where they were edited is. */
export const documentSync: Feature = (context) => {
  const { connection, settings } = context;
  connection.onDidSaveTextDocument(({ textDocument: { uri } }) => saved(uri, context));
  listen(connection, edited, ({ uri, edits, isDirty }) => {
    const path = pathOf(uri);
    if (path === null) return;
    if (isDirty || edits.length > 0) context.freshness.edited(path, edits);
    if (!isDirty) void context.freshness.settled(path);
  });
  // Its extension tells of edits without the texts.
  if (settings().client === 'vscode') {
    return { textDocumentSync: { openClose: false, change: TextDocumentSyncKind.None, save: true } };
  }
  followTexts(context);
  return { textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true } };
};

function followTexts({ connection, freshness, restore }: Context): void {
  connection.onDidOpenTextDocument(async ({ textDocument: { uri } }) => {
    const path = pathOf(uri);
    if (path !== null) await restore([path]);
  });
  connection.onDidChangeTextDocument(({ textDocument: { uri }, contentChanges }) => {
    const path = pathOf(uri);
    if (path === null) return;
    // Without a range, all of the text is another, and nobody saw what became of what.
    const edits = contentChanges.flatMap((change) => ('range' in change ? [editOf(change.range, change.text)] : []));
    freshness.edited(path, edits);
  });
  connection.onDidCloseTextDocument(async ({ textDocument: { uri } }) => {
    const path = pathOf(uri);
    if (path !== null) await freshness.settled(path);
  });
}

async function saved(uri: string, context: Context): Promise<void> {
  const path = pathOf(uri);
  if (path === null) return;
  await context.freshness.settled(path);
  if (context.settings().evaluateOnSave) await evaluateSaved(context.freshness.changedWith(path), context);
}
