import type { Connection } from 'vscode-languageserver/node';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { editorRemedies } from '../runs/remedies.ts';
import { dataFolder } from '../store/home.ts';
import { openResultsStore } from '../store/results-store.ts';
import { openRunStore } from '../store/runs/run-store.ts';
import { serve } from './serve.ts';
import { workInWorkers } from './workers/work-in-workers.ts';

/**
 * The language server as it ships, on any connection.
 *
 * @param entry the module that serves its worker threads.
 */
export function start(connection: Connection, entry: URL): void {
  // A message that cannot be delivered must not end the server. Editors log standard error.
  process.on('unhandledRejection', (error) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  });
  const home = dataFolder(process.env);
  const warn = (sentence: string) => connection.console.warn(sentence);
  const store = openResultsStore(home, { warn });
  const runs = openRunStore(home, { cwd: process.cwd(), warn, remedies: editorRemedies });
  connection.onExit(() => {
    runs[Symbol.dispose]();
    store[Symbol.dispose]();
  });
  serve(connection, { startFileWork: workInWorkers(entry) }, nodeFileSystem, store, runs);
}
