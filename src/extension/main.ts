import * as vscode from 'vscode';
import { AgentTools } from './agent-tools.ts';
import { serveKeys } from './api-key-commands.ts';
import { ApiKeys } from './api-keys.ts';
import { BoundCommands } from './bound-commands.ts';
import { registerCommands } from './commands.ts';
import { setViewContext, syncContextKeys } from './context-keys.ts';
import { CursorSync } from './cursor-sync.ts';
import { EditTracker } from './edit-tracker.ts';
import { serveEditorModels } from './editor-models.ts';
import { EvaluationRunner } from './evaluation-runner.ts';
import { EvidenceMarker } from './evidence-marker.ts';
import { FormattedCopies } from './formatted-copies.ts';
import { initialLoad } from './initial-load.ts';
import { LanguageServer } from './language-server.ts';
import { McpServers } from './mcp-servers.ts';
import { OpenQuestions } from './open-questions.ts';
import { OverviewPanels } from './overview-panels.ts';
import { ReportEditors } from './report-editors.ts';
import { ReportPanels } from './report-panels.ts';
import { ResultsModel } from './results-model.ts';
import { ResultsView } from './results-view.ts';
import { RunPages } from './run-pages.ts';
import { RunsView } from './runs-view.ts';
import { ScenarioLenses } from './scenario-lenses.ts';
import { ScenarioResultsModel } from './scenario-results.ts';
import { ScenarioRunner } from './scenario-runner.ts';
import { serverStartOptions, syncSettings } from './settings.ts';
import { startOnTrace } from './start-on-trace.ts';
import { StateRestore } from './state-restore.ts';
import { StatusItem } from './status-item.ts';
import { ScenarioTests } from './tests/scenario-tests.ts';
import { TraceDiscovery } from './trace-discovery.ts';
import { ViewSettingsStore } from './view-settings.ts';
import { WatchedAgent } from './watched-agent.ts';

/** The API for other extensions and for tests. */
export interface ExtensionApi {
  readonly results: Pick<ResultsView, 'getChildren' | 'getTreeItem' | 'onDidChangeTreeData'>;
  readonly runs: Pick<RunsView, 'getChildren' | 'getTreeItem' | 'onDidChangeTreeData'>;
  readonly tests: Pick<ScenarioTests, 'controller' | 'profiles'>;
}

export function activate({
  subscriptions,
  extensionUri,
  globalStorageUri,
  workspaceState,
  secrets,
  languageModelAccessInformation: access,
}: vscode.ExtensionContext): ExtensionApi {
  const log = vscode.window.createOutputChannel('Turnwise', { log: true });
  const commands = new BoundCommands();
  const server = new LanguageServer(vscode.Uri.joinPath(extensionUri, 'dist', 'server.js').fsPath, log, commands, () =>
    serverStartOptions(extensionUri),
  );
  const keys = new ApiKeys(secrets);
  serveKeys({ server, keys });
  serveEditorModels({ server, access });
  const viewSettings = new ViewSettingsStore(workspaceState, setViewContext);
  const model = new ResultsModel(server, log, () => viewSettings.value);
  const edits = new EditTracker(server);
  const stateRestore = new StateRestore(server, model, workspaceState);
  const discovery = new TraceDiscovery(server, model, log);
  const questions = new OpenQuestions(server);
  const results = new ResultsView({
    server,
    model,
    questions,
    viewSettings: () => viewSettings.value,
    initialLoad: () => initialLoad({ server, model, stateRestore, discovery, log }),
    commands,
  });
  const evaluation = new EvaluationRunner(server, model, results, log);
  const copies = new FormattedCopies();
  const follow: CursorSync = new CursorSync({ server, log, copies, visible: () => reports.visible });
  const evidence = new EvidenceMarker(copies);
  const panelServices = { extensionUri, log, server, evaluation, stateRestore, follow, evidence };
  const reports: ReportPanels = new ReportPanels(panelServices);
  const runPages = new RunPages({ extensionUri, log, server, follow, evidence });
  const overviews = new OverviewPanels({ extensionUri, log, server, evaluation, stateRestore, runPages });
  const runsView = new RunsView(server, commands);
  const tests = new ScenarioTests({ server, overviews, log });
  const scenarioRunner = new ScenarioRunner(server, model);
  const live = new WatchedAgent(server);
  const scenarioResults = new ScenarioResultsModel(server, log);
  const context = {
    extensionUri,
    globalStorageUri,
    log,
    server,
    keys,
    model,
    questions,
    results,
    viewSettings,
    evaluation,
    evidence,
    reports,
    overviews,
    runsView,
    runPages,
    tests,
    scenarioRunner,
    live,
  };
  subscriptions.push(
    log,
    model,
    questions,
    results,
    edits,
    stateRestore,
    discovery,
    evaluation,
    copies,
    follow,
    evidence,
    reports,
    new ReportEditors({ extensionUri, server, model, reports }),
    overviews,
    runsView,
    runPages,
    tests,
    live,
    scenarioResults,
    new ScenarioLenses({ server, results: scenarioResults, commands }),
    new StatusItem(server, model),
    new AgentTools(server),
    new McpServers(),
    server,
    commands,
    model.onDidChange((uris) => reports.refresh(uris)),
    model.onDidChange((uris) => overviews.refresh(uris)),
    model.onDidChange(() => runPages.onResults()),
    syncContextKeys(server, model),
    syncSettings(server, log),
    startOnTrace(server),
    registerCommands(context),
  );
  return { results, runs: runsView, tests };
}
