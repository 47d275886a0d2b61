import * as vscode from 'vscode';
import { registerCommands } from './commands.ts';
import { followContexts, setContext } from './contexts.ts';
import { Edits } from './edits.ts';
import { Evaluation } from './evaluation.ts';
import { firstLook } from './first-look.ts';
import { Follow } from './follow.ts';
import { FoundTraces } from './found-traces.ts';
import { Grouped } from './grouped.ts';
import { Held } from './held.ts';
import { serveKeys } from './key-commands.ts';
import { Keys } from './keys.ts';
import { LanguageServer } from './language-server.ts';
import { ReportPanels } from './report-panel.ts';
import { Restoring } from './restoring.ts';
import { ResultsView } from './results-view.ts';
import { followSettings, introduction } from './settings.ts';
import { StatusItem } from './status-item.ts';
import { startWithTraces } from './trace-documents.ts';

/** What other extensions, and the tests, see of this one. */
export interface Api {
  readonly results: Pick<ResultsView, 'getChildren' | 'getTreeItem' | 'onDidChangeTreeData'>;
}

export function activate({ subscriptions, extensionUri, workspaceState, secrets }: vscode.ExtensionContext): Api {
  const log = vscode.window.createOutputChannel('Turnwise', { log: true });
  const server = new LanguageServer(vscode.Uri.joinPath(extensionUri, 'dist', 'server.js').fsPath, log, () =>
    introduction(extensionUri),
  );
  const keys = new Keys(secrets);
  serveKeys({ server, keys });
  const held = new Held(server, log);
  const grouped = new Grouped(workspaceState);
  const edits = new Edits(server);
  const restoring = new Restoring(server, held, workspaceState);
  const found = new FoundTraces(server, held, log);
  const results = new ResultsView({
    server,
    held,
    grouping: grouped.by,
    firstLook: () => firstLook({ server, held, restoring, found, log }),
  });
  const evaluation = new Evaluation(server, held, results, log);
  const follow: Follow = new Follow({ server, log, visible: () => reports.visible });
  const reports: ReportPanels = new ReportPanels({ extensionUri, log, server, evaluation, restoring, follow });
  const context = { extensionUri, log, server, keys, held, results, grouped, evaluation, reports };
  subscriptions.push(
    log,
    held,
    results,
    edits,
    restoring,
    found,
    evaluation,
    follow,
    reports,
    new StatusItem(server, held),
    server,
    held.onDidChange((uris) => reports.refresh(uris)),
    followContexts(server, held),
    followSettings(server, log),
    startWithTraces(server),
    registerCommands(context),
  );
  void setContext('turnwise.grouping', grouped.by);
  return { results };
}
