import type * as vscode from 'vscode';
import { setContext } from './context-keys.ts';
import type { LanguageServer } from './language-server.ts';
import type { ResultsModel } from './results-model.ts';
import type { StateRestore } from './state-restore.ts';
import type { TraceDiscovery } from './trace-discovery.ts';

interface InitialLoadOptions {
  readonly server: LanguageServer;
  readonly held: ResultsModel;
  readonly restoring: StateRestore;
  readonly found: TraceDiscovery;
  readonly log: vscode.LogOutputChannel;
}

/**
 * What is done when somebody looks at the results for the first time in a window: those of an earlier one come back, and
 * traces that were never evaluated are looked for, which nothing waits for. What goes wrong is logged.
 */
export async function initialLoad({ server, held, restoring, found, log }: InitialLoadOptions): Promise<void> {
  const logged = (error: unknown): void => log.error(String(error));
  found
    .scan()
    .then(() => setContext('turnwise.hasScanned', true))
    .catch(logged);
  if (restoring.hasStoredResults) {
    await server
      .start()
      .then(() => held.refresh())
      .catch(logged);
  }
  await setContext('turnwise.isReady', true);
}
