import type * as vscode from 'vscode';
import type { PanelEvent } from '../protocol/panel.ts';
import type { EvaluationRunner } from './evaluation-runner.ts';
import type { LanguageServer } from './language-server.ts';
import type { StateRestore } from './state-restore.ts';

/** A turn of a session, or the session as a whole. */
export interface TurnSelection {
  /** The key of the session. */
  readonly session: string;
  /** Zero-based. */
  readonly turn: number | null;
}

/** One panel, as those see it who work for it. */
export interface ReportPanelHandle {
  readonly panel: vscode.WebviewPanel;
  /** Of its file. */
  readonly uri: string;
  /** As the user sees it. */
  readonly selected: TurnSelection;
  /** Tells the panel to select this. */
  select(selected: TurnSelection): void;
  /** The panel has selected this. */
  setSelected(selected: TurnSelection): void;
  /** The page has its report. @param revision of the results. */
  markShown(revision: number): void;
  notify(event: PanelEvent): void;
}

/** Lets an editor and a report follow each other. */
export interface ReportCursorSync {
  /** Shows the line of a turn. */
  show(selected: TurnSelection): Promise<void>;
  /** A cursor is about to go there because of the report. */
  expect(uri: vscode.Uri, range: vscode.Range): void;
}

/** What the panels work on. */
export interface ReportPanelOptions {
  readonly extensionUri: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  readonly server: Pick<LanguageServer, 'request' | 'isRunning'>;
  readonly evaluation: Pick<EvaluationRunner, 'run' | 'stop'>;
  readonly restoring: Pick<StateRestore, 'hasStoredResults'>;
  readonly follow: ReportCursorSync;
}
