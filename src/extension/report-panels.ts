import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { turnLocation } from '../protocol/cursor-sync.ts';
import { panelState, sessionUri } from '../protocol/panel.ts';
import { columnForReport, REPORT_VIEW } from './editor-columns.ts';
import { revealLocation } from './panel-requests.ts';
import { ReportPanel } from './report-panel.ts';
import type { ReportPanelHandle, ReportPanelOptions, TurnSelection } from './report-panel-types.ts';
import type { ChangedFiles } from './results-model.ts';

/** Opening the same report again within this time keeps it open: a double click. */
const DOUBLE_CLICK_MS = 500;

interface OpenOptions {
  /** Whether to open in a column beside the active one, if no report is open. */
  readonly toSide?: boolean;
}

/**
 * The open report panels, restored after a reload. One panel is reused for every report until it is kept open; then the next
 * report opens in another one. A webview panel cannot be a preview tab of VS Code.
 */
export class ReportPanels implements vscode.WebviewPanelSerializer, vscode.Disposable {
  static readonly viewType = REPORT_VIEW;

  readonly #parts: ReportPanelOptions;
  readonly #now: () => number;
  readonly #open = new Set<ReportPanel>();
  readonly #serializer: vscode.Disposable;
  #last: TurnSelection & { readonly at: number } = { session: '', turn: null, at: Number.NEGATIVE_INFINITY };

  constructor(parts: ReportPanelOptions, now: () => number = Date.now) {
    this.#parts = parts;
    this.#now = now;
    this.#serializer = vscode.window.registerWebviewPanelSerializer(ReportPanels.viewType, this);
  }

  /** Shows the report of a session, at a turn or else at its first problem. Keeps the focus. */
  open(session: { readonly key: string }, turn: number | null, { toSide = false }: OpenOptions = {}): void {
    const selected = { session: session.key, turn };
    const file = vscode.Uri.parse(sessionUri(session.key));
    const last = this.#last;
    this.#last = { ...selected, at: this.#now() };
    const isAgain = last.session === session.key && last.turn === turn && this.#now() - last.at < DOUBLE_CLICK_MS;
    const open = this.#panelFor(session.key);
    if (!open) {
      const where = { viewColumn: columnForReport(file, { toSide }), preserveFocus: true };
      const panel = vscode.window.createWebviewPanel(ReportPanels.viewType, '', where);
      this.#fill(panel, selected, { isPinned: false, isEditor: false });
      return;
    }
    const { panel, isEditor } = open;
    panel.reveal(isEditor ? panel.viewColumn : columnForReport(file, { toSide, title: panel.title }), true);
    // Keeps the selection of an open report of the same session.
    if (turn !== null || open.selected.session !== session.key) open.select(selected);
    if (isAgain) open.keep();
  }

  /** Shows the report of a session in the panel of a custom editor. */
  adopt(panel: vscode.WebviewPanel, session: string): void {
    this.#fill(panel, { session, turn: null }, { isPinned: false, isEditor: true });
  }

  /** Keeps the active report open, else the one that is reused. */
  keepOpen(): void {
    const all = [...this.#open];
    (all.find(({ panel }) => panel.active) ?? all.find(({ isPinned, isEditor }) => !isPinned && !isEditor))?.keep();
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { success, data } = z.safeParse(panelState, state);
    const isPinned = data?.isPinned ?? false;
    const panels = [...this.#open].filter(({ isEditor }) => !isEditor);
    const isDouble = panels.some((open) => open.selected.session === data?.session || (!open.isPinned && !isPinned));
    if (success && !isDouble) this.#fill(panel, data, { isPinned, isEditor: false });
    else panel.dispose();
  }

  /** Whether the server has or restores results; a request would start it. */
  get canAsk(): boolean {
    const { server, stateRestore } = this.#parts;
    return server.isRunning || stateRestore.hasStoredResults;
  }

  /** The visible reports. */
  get visible(): readonly ReportPanelHandle[] {
    return [...this.#open].filter(({ panel }) => panel.visible);
  }

  /** What the active report shows; undefined where none is active. */
  get active(): TurnSelection | undefined {
    return [...this.#open].find(({ panel }) => panel.active)?.selected;
  }

  /** Shows a turn in its file and moves the cursor there. */
  async showTurn(session: string, turn: number): Promise<void> {
    const { location } = await this.#parts.server.request(turnLocation, { session, turn });
    if (location) await revealLocation(location, true, this.#parts);
  }

  /** Refreshes open reports. @param uris the changed files. */
  refresh(uris: ChangedFiles): void {
    for (const open of this.#open) if (!uris || uris.has(open.uri)) open.refresh();
  }

  /** The panel of a session, else the custom editor of its file, else the panel that is not kept open. */
  #panelFor(session: string): ReportPanel | undefined {
    const all = [...this.#open];
    const free = all.filter((open) => open.canShow(session));
    return all.find(({ selected }) => selected.session === session) ?? free.find(({ isEditor }) => isEditor) ?? free[0];
  }

  #fill(
    panel: vscode.WebviewPanel,
    { session, turn }: TurnSelection,
    how: ConstructorParameters<typeof ReportPanel>[3],
  ): void {
    const open = new ReportPanel(panel, this.#parts, { session, turn }, how);
    this.#open.add(open);
    panel.onDidDispose(() => {
      open.dispose();
      this.#open.delete(open);
    });
  }

  dispose(): void {
    this.#serializer.dispose();
    for (const { panel } of this.#open) panel.dispose();
  }
}
