import type * as vscode from 'vscode';
import type { PanelEvent } from '../protocol/panel.ts';
import type { EvaluationRunner } from './evaluation-runner.ts';
import type { EvidenceMarker } from './evidence-marker.ts';
import type { LanguageServer } from './language-server.ts';
import type { StateRestore } from './state-restore.ts';

/** A selected turn, or the session as a whole. */
export interface TurnSelection {
  /** The key of the session. */
  readonly session: string;
  /** Zero-based. */
  readonly turn: number | null;
}

/** A report panel, as its request handlers see it. */
export interface ReportPanelHandle {
  readonly panel: vscode.WebviewPanel;
  /** Of its file. */
  readonly uri: string;
  /** Whether it shows its session for good. */
  readonly isPinned: boolean;
  /** As the user sees it. */
  readonly selected: TurnSelection;
  /** Selects a turn in the panel. */
  select(selected: TurnSelection): void;
  /** Records what the user selected in the panel. */
  setSelected(selected: TurnSelection): void;
  /** Keeps it open: another report then opens in another panel. */
  keep(): void;
  /** The page has the report of a session. @param revision of the results; null: there are none. */
  markShown(session: string, revision: number | null): void;
  notify(event: PanelEvent): void;
}

/** Keeps the cursor of an editor and the selected turn of a report in sync. */
export interface ReportCursorSync {
  /** Reveals a turn in the editor. */
  show(selected: TurnSelection): Promise<void>;
  /** Announces a cursor move that the report causes. */
  expect(uri: vscode.Uri, range: vscode.Range): void;
}

/** The services that report panels use. */
export interface ReportPanelOptions {
  readonly extensionUri: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  readonly server: Pick<LanguageServer, 'request' | 'isRunning'>;
  readonly evaluation: Pick<EvaluationRunner, 'run' | 'stop'>;
  readonly stateRestore: Pick<StateRestore, 'hasStoredResults'>;
  readonly follow: ReportCursorSync;
  readonly evidence: Pick<EvidenceMarker, 'show' | 'clear'>;
}
