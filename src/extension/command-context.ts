import type * as vscode from 'vscode';
import type { ApiKeys } from './api-keys.ts';
import type { EvaluationRunner } from './evaluation-runner.ts';
import type { EvidenceMarker } from './evidence-marker.ts';
import type { LanguageServer } from './language-server.ts';
import type { OpenQuestions } from './open-questions.ts';
import type { OverviewPanels } from './overview-panels.ts';
import type { ReportPanels } from './report-panels.ts';
import type { ResultsModel } from './results-model.ts';
import type { ResultsView } from './results-view.ts';
import type { RunPages } from './run-pages.ts';
import type { RunsView } from './runs-view.ts';
import type { ScenarioRunner } from './scenario-runner.ts';
import type { ScenarioTests } from './tests/scenario-tests.ts';
import type { ViewSettingsStore } from './view-settings.ts';
import type { WatchedAgent } from './watched-agent.ts';

/** The services that commands use, created at activation. */
export interface CommandContext {
  readonly extensionUri: vscode.Uri;
  /** A folder of the extension's own, the same in all workspaces. */
  readonly globalStorageUri: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  readonly server: LanguageServer;
  readonly keys: ApiKeys;
  readonly model: ResultsModel;
  readonly questions: OpenQuestions;
  readonly results: ResultsView;
  readonly viewSettings: ViewSettingsStore;
  readonly evaluation: EvaluationRunner;
  readonly evidence: EvidenceMarker;
  readonly reports: ReportPanels;
  readonly overviews: OverviewPanels;
  readonly runsView: RunsView;
  readonly runPages: RunPages;
  readonly tests: ScenarioTests;
  readonly scenarioRunner: ScenarioRunner;
  readonly live: WatchedAgent;
}
