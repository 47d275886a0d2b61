import type { Connection } from 'vscode-languageserver/node';
import { evaluateFiles } from '../app/evaluate-files.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { dataFolder } from '../store/home.ts';
import { openResultsStore } from '../store/results-store.ts';
import { createEvaluateFiles } from './features/model-requests.ts';
import { serve } from './serve.ts';

/** The language server as it ships, on any connection. */
export function start(connection: Connection): void {
  // A message that cannot be delivered must not end the server. Editors log standard error.
  process.on('unhandledRejection', (error) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  });
  const store = openResultsStore(dataFolder(process.env), { warn: (sentence) => connection.console.warn(sentence) });
  connection.onExit(() => store[Symbol.dispose]());
  serve(connection, { create: (context) => createEvaluateFiles(context, evaluateFiles) }, nodeFileSystem, store);
}
