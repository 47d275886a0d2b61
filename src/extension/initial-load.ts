import * as vscode from 'vscode';
import { setContext } from './context-keys.ts';
import { requestSearch } from './evaluate-commands.ts';
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

/** What may be a trace by its extension, and folders that are not looked into, such as that of VS Code's settings. */
const POSSIBLE_TRACES = '**/*.{json,jsonl,ndjson,traj,eval}';
const IGNORED = '**/{node_modules,.*}/**';

/**
 * Restores earlier results and scans for traces when the Results view becomes visible for the first time: by name, and by content
 * where no name says so and the view would be empty. Logs errors.
 */
export async function initialLoad({ server, model, stateRestore, discovery, log }: InitialLoadOptions): Promise<void> {
  const logged = (error: unknown): void => log.error(String(error));
  const searchByContent = async (found: number): Promise<void> => {
    await setContext('turnwise.hasScanned', true);
    // A running server searches by itself when it has nothing else to do.
    const isEmpty = found === 0 && !stateRestore.hasStoredResults && !server.isRunning;
    if (!isEmpty || !(await mayHaveTraces())) return;
    await requestSearch(server);
    await model.refresh();
  };
  discovery.scan().then(searchByContent).catch(logged);
  if (stateRestore.hasStoredResults) {
    await server
      .start()
      .then(() => model.refresh())
      .catch(logged);
  }
  await setContext('turnwise.isReady', true);
}

async function mayHaveTraces(): Promise<boolean> {
  const [first] = await vscode.workspace.findFiles(POSSIBLE_TRACES, IGNORED, 1);
  return first !== undefined;
}
