import type * as vscode from 'vscode';
import { setContext } from './context-keys.ts';
import type { LanguageServer } from './language-server.ts';
import type { ResultsModel } from './results-model.ts';
import type { StateRestore } from './state-restore.ts';
import type { TraceDiscovery } from './trace-discovery.ts';

interface InitialLoadOptions {
  readonly server: LanguageServer;
  readonly model: ResultsModel;
  readonly stateRestore: StateRestore;
  readonly discovery: TraceDiscovery;
  readonly log: vscode.LogOutputChannel;
}

/** Restores earlier results and scans for traces when the Results view becomes visible for the first time. Logs errors. */
export async function initialLoad({ server, model, stateRestore, discovery, log }: InitialLoadOptions): Promise<void> {
  const logged = (error: unknown): void => log.error(String(error));
  discovery
    .scan()
    .then(() => setContext('turnwise.hasScanned', true))
    .catch(logged);
  if (stateRestore.hasStoredResults) {
    await server
      .start()
      .then(() => model.refresh())
      .catch(logged);
  }
  await setContext('turnwise.isReady', true);
}
