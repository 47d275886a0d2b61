import type { Connection, ServerCapabilities } from 'vscode-languageserver/node';
import type { FileSystem } from '../input/file-system.ts';
import type { ResultsStore } from '../store/results-store.ts';
import { VERSION } from '../version.ts';
import { commands } from './commands.ts';
import type { Feature } from './context.ts';
import { edits } from './edits/edits.ts';
import { encoding } from './encoding.ts';
import type { EvaluateFiles } from './evaluating/evaluate.ts';
import { codeActions } from './features/code-actions.ts';
import { codeLens } from './features/code-lens.ts';
import { hover } from './features/hover.ts';
import { inlayHints } from './features/inlay-hints.ts';
import { outlines } from './features/outline.ts';
import { documentSync } from './following/document-sync.ts';
import { watching } from './following/watching.ts';
import { contextOf, type EvaluationOn } from './make-context.ts';
import { reportRequests } from './report/requests.ts';
import { requests } from './requests.ts';

export type { EvaluationOn } from './make-context.ts';

/** What the server can do, one file each. */
const FEATURES: readonly Feature[] = [
  encoding,
  requests,
  reportRequests,
  commands,
  documentSync,
  watching,
  outlines,
  codeLens,
  inlayHints,
  hover,
  edits,
  codeActions,
];

/**
 * Answers on a connection until it is closed. Traces come from disk: nothing is read from the editor's buffers.
 *
 * @param store where results are kept for the next time; without it, nowhere.
 */
export function serve(
  connection: Connection,
  evaluation: EvaluateFiles | EvaluationOn,
  files: FileSystem,
  store: ResultsStore | null = null,
): void {
  connection.onInitialize((params) => {
    const context = contextOf(connection, { evaluation, files, store }, params);
    const capabilities: ServerCapabilities = Object.assign({}, ...FEATURES.map((feature) => feature(context)));
    return { capabilities, serverInfo: { name: 'turnwise', version: VERSION } };
  });
  connection.listen();
}
