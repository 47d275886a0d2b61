import { type Connection, PositionEncodingKind, type ServerCapabilities } from 'vscode-languageserver/node';
import type { FileSystem } from '../input/file-system.ts';
import type { RunStore } from '../runs/run-store.ts';
import type { ResultsStore } from '../store/results-store.ts';
import { VERSION } from '../version.ts';
import { agentToolRequests } from './agent-tools/requests.ts';
import { commands } from './commands.ts';
import type { Feature } from './context.ts';
import { createContext, type ServerOptions } from './create-context.ts';
import { edits } from './edits/edits.ts';
import { codeActions } from './features/code-actions.ts';
import { codeLens } from './features/code-lens.ts';
import { hover } from './features/hover.ts';
import { inlayHints } from './features/inlay-hints.ts';
import { outlineRequests } from './features/outline.ts';
import { liveRequests } from './live/requests.ts';
import { overviewRequests } from './overview/requests.ts';
import { reportRequests } from './report/requests.ts';
import { requests } from './requests.ts';
import { labelRequests } from './runs/label-requests.ts';
import { runRequests } from './runs/requests.ts';
import { scenarioRequests } from './scenarios/requests.ts';
import { documentSync } from './sync/document-sync.ts';
import { fileEvents } from './sync/file-events.ts';

/** The features of the server. */
const FEATURES: readonly Feature[] = [
  requests,
  reportRequests,
  overviewRequests,
  runRequests,
  labelRequests,
  scenarioRequests,
  liveRequests,
  agentToolRequests,
  commands,
  documentSync,
  fileEvents,
  outlineRequests,
  codeLens,
  inlayHints,
  hover,
  edits,
  codeActions,
];

/**
 * Serves a connection until it is closed. Traces are read from disk, never from the editor's buffers.
 *
 * @param store where results are stored; null: nowhere. @param runs where runs are recorded; null: nowhere.
 */
export function serve(
  connection: Connection,
  evaluation: ServerOptions['evaluation'],
  files: FileSystem,
  store: ResultsStore | null = null,
  runs: RunStore | null = null,
): void {
  connection.onInitialize((params) => {
    const context = createContext(connection, { evaluation, files, store, runs }, params);
    const capabilities: ServerCapabilities = Object.assign({}, ...FEATURES.map((feature) => feature(context)));
    // UTF-16 code units, which every editor must support; no other unit is offered.
    capabilities.positionEncoding = PositionEncodingKind.UTF16;
    return { capabilities, serverInfo: { name: 'turnwise', version: VERSION } };
  });
  connection.listen();
}
