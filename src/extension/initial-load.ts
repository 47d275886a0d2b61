import * as vscode from 'vscode';
import { isTraceCandidate } from '../core/trace-file-names.ts';
import { setContext } from './context-keys.ts';
import { requestSearch } from './evaluate-commands.ts';
import type { LanguageServer } from './language-server.ts';
import type { ResultsModel } from './results-model.ts';
import type { StateRestore } from './state-restore.ts';
import type { TraceDiscovery } from './trace-discovery.ts';

interface InitialLoadOptions {
  readonly server: Pick<LanguageServer, 'isRunning' | 'start' | 'request'>;
  readonly model: Pick<ResultsModel, 'refresh'>;
  readonly stateRestore: Pick<StateRestore, 'hasStoredResults'>;
  readonly discovery: Pick<TraceDiscovery, 'scan' | 'has'>;
  readonly log: Pick<vscode.LogOutputChannel, 'error'>;
}

/** What may be a trace by its extension, and folders that are not looked into, such as that of VS Code's settings. */
const POSSIBLE_TRACES = '**/*.{json,jsonl,ndjson,traj,eval}';
const IGNORED = '**/{node_modules,.*}/**';

/** More files than these are not looked at for one that no name tells. */
const MAX_POSSIBLE = 1_000;

/**
 * Restores earlier results and scans for traces when the Results view becomes visible for the first time: by name and by content, at
 * once where the view would be empty. Logs errors.
 */
export async function initialLoad({ server, model, stateRestore, discovery, log }: InitialLoadOptions): Promise<void> {
  const logged = (error: unknown): void => log.error(String(error));
  const searchByContent = async (found: number): Promise<void> => {
    await setContext('turnwise.hasScanned', true);
    // A server that runs searches by itself when it has nothing else to do.
    if (stateRestore.hasStoredResults || server.isRunning || !(await mayHaveOtherTraces(discovery))) return;
    if (found === 0) await requestSearch(server);
    else await server.start();
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

/** Whether there are files that may be traces, and whose names do not tell. */
async function mayHaveOtherTraces(discovery: InitialLoadOptions['discovery']): Promise<boolean> {
  const files = await vscode.workspace.findFiles(POSSIBLE_TRACES, IGNORED, MAX_POSSIBLE);
  return files.some((uri) => !discovery.has(uri) && isTraceCandidate(vscode.workspace.asRelativePath(uri, false), []));
}
