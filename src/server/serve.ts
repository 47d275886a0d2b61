import {
  CodeLensRefreshRequest,
  type Connection,
  type InitializeParams,
  InlayHintRefreshRequest,
} from 'vscode-languageserver/node';
import type { Files } from '../input/files.ts';
import { changed } from '../protocol/messages.ts';
import { listen } from '../protocol/request.ts';
import { type Initialization, type Settings, settingsChanged } from '../protocol/settings.ts';
import { VERSION } from '../version.ts';
import { codeActions } from './code-actions.ts';
import { codeLens } from './code-lens.ts';
import { commands } from './commands.ts';
import type { Context, Feature } from './context.ts';
import { Diagnostics } from './diagnostics.ts';
import { initializationOf, settingsAfter } from './editor-settings.ts';
import { edits } from './edits.ts';
import { encoding } from './encoding.ts';
import { type EvaluateFiles, Evaluator } from './evaluate.ts';
import { hover } from './hover.ts';
import { inlayHints } from './inlay-hints.ts';
import { outlines } from './outline.ts';
import { requests } from './requests.ts';
import { Results } from './results.ts';

/** What the server can do, one file each. */
const FEATURES: readonly Feature[] = [
  encoding,
  requests,
  commands,
  outlines,
  codeLens,
  inlayHints,
  hover,
  edits,
  codeActions,
];

/** What is made anew for each connection, over which it asks and tells. */
export interface EvaluationOn {
  readonly on: (context: Pick<Context, 'connection' | 'settings'>) => EvaluateFiles;
}

/** Answers on a connection until it is closed. Traces come from disk: nothing is read from the editor's buffers. */
export function serve(connection: Connection, evaluateFiles: EvaluateFiles | EvaluationOn, files: Files): void {
  connection.onInitialize((params) => {
    const context = contextOf(connection, evaluateFiles, files, params);
    const capabilities = FEATURES.map((feature) => feature(context));
    return { capabilities: Object.assign({}, ...capabilities), serverInfo: { name: 'turnwise', version: VERSION } };
  });
  connection.listen();
}

function contextOf(
  connection: Connection,
  evaluation: EvaluateFiles | EvaluationOn,
  files: Files,
  { initializationOptions, capabilities }: InitializeParams,
): Context {
  let settings: Initialization = initializationOf(initializationOptions);
  const results = new Results();
  const diagnostics = new Diagnostics(connection, results, () => settings);
  const { codeLens, inlayHint } = capabilities.workspace ?? {};
  const refresh = (uris?: readonly string[]) => {
    void diagnostics.show();
    if (codeLens?.refreshSupport) void connection.sendRequest(CodeLensRefreshRequest.type);
    if (inlayHint?.refreshSupport) void connection.sendRequest(InlayHintRefreshRequest.type);
    void connection.sendNotification(changed.method, { ...(uris ? { uris: [...uris] } : {}) });
  };
  const change = (now: Settings) => {
    settings = { ...settings, ...now };
    refresh();
  };
  listen(connection, settingsChanged, change);
  connection.onDidChangeConfiguration((given) => change(settingsAfter(settings, given)));
  const evaluateFiles =
    typeof evaluation === 'function' ? evaluation : evaluation.on({ connection, settings: () => settings });
  const evaluator = new Evaluator(evaluateFiles, results, refresh);
  return { connection, files, results, diagnostics, evaluator, capabilities, settings: () => settings, refresh };
}
