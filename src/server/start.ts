import type { Connection } from 'vscode-languageserver/node';
import { evaluateFiles } from '../index.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { dataFolder } from '../store/home.ts';
import { openResultsStore } from '../store/results-store.ts';
import { createEvaluateFiles } from './features/model-requests.ts';
import { serve } from './serve.ts';

/** The language server as it is shipped, whoever speaks to it and over what. */
export function start(connection: Connection): void {
  // One message that could not be delivered must not end what is held for everybody. Editors keep standard error as a log.
  process.on('unhandledRejection', (error) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  });
  const store = openResultsStore(dataFolder(process.env), { warn: (sentence) => connection.console.warn(sentence) });
  connection.onExit(() => store[Symbol.dispose]());
  serve(connection, { create: (context) => createEvaluateFiles(context, evaluateFiles) }, nodeFileSystem, store);
}
