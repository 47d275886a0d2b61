import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { turnLocation } from '../protocol/cursor-sync.ts';
import { panelState, sessionUri } from '../protocol/panel.ts';
import { columnForReport, REPORT_VIEW } from './editor-columns.ts';
import { revealLocation } from './panel-requests.ts';
import { ReportPanel } from './report-panel.ts';
import type { ReportPanelHandle, ReportPanelOptions, TurnSelection } from './report-panel-types.ts';
import type { ChangedFiles } from './results-model.ts';

/** The open report panels, one per file, restored after a reload. */
export class ReportPanels implements vscode.WebviewPanelSerializer, vscode.Disposable {
  static readonly viewType = REPORT_VIEW;

  readonly #parts: ReportPanelOptions;
  /** By file URI. */
  readonly #open = new Map<string, ReportPanel>();
  readonly #serializer: vscode.Disposable;

  constructor(parts: ReportPanelOptions) {
    this.#parts = parts;
    this.#serializer = vscode.window.registerWebviewPanelSerializer(ReportPanels.viewType, this);
  }

  /** Shows the report of a session, at a turn if given, in the column of reports or beside its file. Keeps the focus. */
  open(session: { readonly key: string }, turn: number | null): void {
    const selected = { session: session.key, turn };
    const uri = sessionUri(session.key);
    const open = this.#open.get(uri);
    if (open) {
      open.panel.reveal(columnForReport(vscode.Uri.parse(uri), open.panel.title), true);
      // Keeps the selection of an open report of the same session.
      if (turn !== null || open.selected.session !== session.key) open.select(selected);
      return;
    }
    const where = { viewColumn: columnForReport(vscode.Uri.parse(uri)), preserveFocus: true };
    const panel = vscode.window.createWebviewPanel(ReportPanels.viewType, '', where);
    this.#fill(panel, selected);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { success, data } = z.safeParse(panelState, state);
    if (success && !this.#open.has(sessionUri(data.session))) this.#fill(panel, data);
    else panel.dispose();
  }

  /** Whether the server has or restores results; a request would start it. */
  get canAsk(): boolean {
    const { server, stateRestore } = this.#parts;
    return server.isRunning || stateRestore.hasStoredResults;
  }

  /** The visible reports. */
  get visible(): readonly ReportPanelHandle[] {
    return [...this.#open.values()].filter(({ panel }) => panel.visible);
  }

  /** Shows a turn in its file and moves the cursor there. */
  async showTurn(session: string, turn: number): Promise<void> {
    const open = this.#open.get(sessionUri(session));
    const { location } = await this.#parts.server.request(turnLocation, { session, turn });
    if (open && location) await revealLocation(location, true, this.#parts);
  }

  /** Refreshes open reports. @param uris the changed files. */
  refresh(uris: ChangedFiles): void {
    for (const [uri, open] of this.#open) if (!uris || uris.has(uri)) open.refresh();
  }

  #fill(panel: vscode.WebviewPanel, { session, turn }: TurnSelection): void {
    const open = new ReportPanel(panel, this.#parts, { session, turn });
    const { uri } = open;
    this.#open.set(uri, open);
    panel.onDidDispose(() => {
      open.dispose();
      this.#open.delete(uri);
    });
  }

  dispose(): void {
    this.#serializer.dispose();
    for (const { panel } of this.#open.values()) panel.dispose();
  }
}
