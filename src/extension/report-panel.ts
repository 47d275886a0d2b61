import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { placeOfTurn } from '../protocol/follow.ts';
import { panelState, uriOfSession } from '../protocol/panel.ts';
import { columnOfReport, REPORT_VIEW } from './columns.ts';
import type { Changed } from './held.ts';
import { OpenReport } from './open-report.ts';
import { showPlace } from './report-answers.ts';
import type { Parts, Report, Selected } from './report-parts.ts';

/** The reports that are open, one panel per file. They open when somebody asks for them, and after a reload. */
export class ReportPanels implements vscode.WebviewPanelSerializer, vscode.Disposable {
  static readonly viewType = REPORT_VIEW;

  readonly #parts: Parts;
  /** By the URIs of their files. */
  readonly #open = new Map<string, OpenReport>();
  readonly #serializer: vscode.Disposable;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#serializer = vscode.window.registerWebviewPanelSerializer(ReportPanels.viewType, this);
  }

  /** Shows the report of a session where reports are, else beside its file, and leaves the focus; at a turn, where one is named. */
  open(session: { readonly key: string }, turn: number | null): void {
    const selected = { session: session.key, turn };
    const uri = uriOfSession(session.key);
    const open = this.#open.get(uri);
    if (open) {
      open.panel.reveal(columnOfReport(vscode.Uri.parse(uri), open.panel.title), true);
      // Where nothing else is asked for, it stays as it is.
      if (turn !== null || open.selected.session !== session.key) open.select(selected);
      return;
    }
    const where = { viewColumn: columnOfReport(vscode.Uri.parse(uri)), preserveFocus: true };
    const panel = vscode.window.createWebviewPanel(ReportPanels.viewType, '', where);
    this.#fill(panel, selected);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { success, data } = z.safeParse(panelState, state);
    if (success && !this.#open.has(uriOfSession(data.session))) this.#fill(panel, data);
    else panel.dispose();
  }

  /** Whether the server may know of any result: to ask one that does not run would start it for nothing. */
  get canAsk(): boolean {
    const { server, restoring } = this.#parts;
    return server.isRunning || restoring.isExpected;
  }

  /** Those that somebody sees. */
  get visible(): readonly Report[] {
    return [...this.#open.values()].filter(({ panel }) => panel.visible);
  }

  /** Shows a turn in its file, where the cursor goes too. */
  async showTurn(session: string, turn: number): Promise<void> {
    const open = this.#open.get(uriOfSession(session));
    const { place } = await this.#parts.server.ask(placeOfTurn, { session, turn });
    if (open && place) await showPlace(place, true, this.#parts);
  }

  /** Lets what is open show what the server holds now. @param uris the files of which this may be another. */
  refresh(uris: Changed): void {
    for (const [uri, open] of this.#open) if (!uris || uris.has(uri)) open.refresh();
  }

  #fill(panel: vscode.WebviewPanel, { session, turn }: Selected): void {
    const open = new OpenReport(panel, this.#parts, { session, turn });
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
