import * as vscode from 'vscode';
import { countSessions } from './labels.ts';
import type { LanguageServer } from './language-server.ts';
import type { ResultsModel } from './results-model.ts';
import { currentSettings } from './settings.ts';
import { globFilters } from './trace-selector.ts';
import type { ViewSettings } from './view-settings.ts';

/** The context keys of the manifest's `when` and `enablement` clauses. */
type ContextKey =
  | 'turnwise.evaluating'
  | 'turnwise.grouping'
  | 'turnwise.problemsOnly'
  | 'turnwise.sort'
  | 'turnwise.hasChosenJudge'
  | 'turnwise.hasDraftedScenario'
  | 'turnwise.hasFailed'
  | 'turnwise.hasFiles'
  | 'turnwise.hasScanned'
  | 'turnwise.hasSeenEvidence'
  | 'turnwise.hasResults'
  | 'turnwise.isReady'
  | 'turnwise.serverStopped'
  | 'turnwise.traceFiles'
  | 'turnwise.watching';

export async function setContext(key: ContextKey, value: boolean | string | readonly string[]): Promise<void> {
  await vscode.commands.executeCommand('setContext', key, value);
}

export async function setViewContext({ grouping, sort, problemsOnly }: ViewSettings): Promise<void> {
  await setContext('turnwise.grouping', grouping);
  await setContext('turnwise.sort', sort);
  await setContext('turnwise.problemsOnly', problemsOnly);
}

/** Keeps the context keys in sync with the results and the server. */
export function syncContextKeys(server: LanguageServer, model: ResultsModel): vscode.Disposable {
  const known = new Map<ContextKey, boolean>();
  const follow = (key: ContextKey, value: boolean): void => {
    if (known.get(key) === value) return;
    known.set(key, value);
    void setContext(key, value);
  };
  let traceFiles = '';
  const followTraceFiles = (): void => {
    const paths = visibleTraceFiles(model);
    if (paths.join('\n') === traceFiles) return;
    traceFiles = paths.join('\n');
    void setContext('turnwise.traceFiles', paths);
  };
  followTraceFiles();
  return vscode.Disposable.from(
    vscode.window.onDidChangeVisibleTextEditors(followTraceFiles),
    model.onDidChange(followTraceFiles),
    model.onDidChange(() => {
      follow('turnwise.hasFiles', model.snapshot.total + countSessions(model.snapshot.headlines) > 0);
      follow('turnwise.hasResults', model.hasResults);
      follow('turnwise.hasFailed', model.hasFailed);
    }),
    server.onDidChangeState((state) => follow('turnwise.serverStopped', state === 'broken')),
  );
}

/** The paths of visible files that are traces, by their name or because they were evaluated. */
function visibleTraceFiles(model: ResultsModel): string[] {
  const names = globFilters(currentSettings().traces);
  const documents = vscode.window.visibleTextEditors.map(({ document }) => document);
  const traces = documents.filter((document) => {
    return (
      document.uri.scheme === 'file' && (vscode.languages.match(names, document) > 0 || model.hasFile(document.uri))
    );
  });
  return [...new Set(traces.map(({ uri }) => uri.fsPath))].sort();
}
