import './load-translations.ts';
import { isMainThread } from 'node:worker_threads';
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { start } from './start.ts';
import { serveWorker } from './workers/serve-worker.ts';

if (isMainThread) {
  // The editor that started this process talks over its channel; when that closes, nothing is left to serve.
  process.once('disconnect', () => process.exit());
  start(createConnection(ProposedFeatures.all), new URL(import.meta.url));
} else {
  serveWorker();
}
