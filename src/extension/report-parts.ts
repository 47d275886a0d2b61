import type * as vscode from 'vscode';
import type { PanelEvent } from '../protocol/panel.ts';
import type { Evaluation } from './evaluation.ts';
import type { LanguageServer } from './language-server.ts';
import type { Restoring } from './restoring.ts';

/** A turn of a session, or the session as a whole. */
export interface Selected {
  /** The key of the session. */
  readonly session: string;
  /** Zero-based. */
  readonly turn: number | null;
}

/** One panel, as those see it who work for it. */
export interface Report {
  readonly panel: vscode.WebviewPanel;
  /** Of its file. */
  readonly uri: string;
  /** As the user sees it. */
  readonly selected: Selected;
  /** Tells the panel to select this. */
  select(selected: Selected): void;
  /** The panel has selected this. */
  hasSelected(selected: Selected): void;
  /** The page has its report. @param edition of the results. */
  isShown(edition: number): void;
  tell(event: PanelEvent): void;
}

/** Lets an editor and a report follow each other. */
export interface Following {
  /** Shows the line of a turn. */
  show(selected: Selected): Promise<void>;
  /** A cursor is about to go there because of the report. */
  expect(uri: vscode.Uri, range: vscode.Range): void;
}

/** What the panels work on. */
export interface Parts {
  readonly extensionUri: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  readonly server: Pick<LanguageServer, 'ask' | 'isRunning'>;
  readonly evaluation: Pick<Evaluation, 'run' | 'stop'>;
  readonly restoring: Pick<Restoring, 'isExpected'>;
  readonly follow: Following;
}
