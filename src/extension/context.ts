import type * as vscode from 'vscode';
import type { Evaluation } from './evaluation.ts';
import type { Grouped } from './grouped.ts';
import type { Held } from './held.ts';
import type { Keys } from './keys.ts';
import type { LanguageServer } from './language-server.ts';
import type { ReportPanels } from './report-panel.ts';
import type { ResultsView } from './results-view.ts';

/** What the commands work on; made once, at activation. */
export interface Context {
  readonly extensionUri: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  readonly server: LanguageServer;
  readonly keys: Keys;
  readonly held: Held;
  readonly results: ResultsView;
  readonly grouped: Grouped;
  readonly evaluation: Evaluation;
  readonly reports: ReportPanels;
}
