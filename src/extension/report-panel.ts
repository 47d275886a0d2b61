import * as vscode from 'vscode';
import { ALL_CHANGED, type PanelEvent, PanelHost, sessionUri } from '../protocol/panel.ts';
import { reportChanges } from '../protocol/report.ts';
import { fileName } from './labels.ts';
import { handlePanelRequests } from './panel-requests.ts';
import type { ReportPanelHandle, ReportPanelOptions, TurnSelection } from './report-panel-types.ts';
import { reportIcon, showPage } from './webview-page.ts';

/**
 * A report panel. It shows one session, and others until it is kept open. That of a custom editor belongs to a file, and shows
 * sessions of that file only.
 */
export class ReportPanel implements ReportPanelHandle, vscode.Disposable {
  readonly panel: vscode.WebviewPanel;
  readonly #parts: ReportPanelOptions;
  readonly #host: PanelHost;
  readonly #listeners: vscode.Disposable;
  /** The file of a custom editor; null: VS Code opened the panel for no file. */
  readonly #file: string | null;
  #selected: TurnSelection;
  #isPinned: boolean;
  /** What to select when the page has loaded, instead of its saved state. */
  #next: TurnSelection | undefined;
  /** The revision of the results that the page shows. */
  #revision = 0;
  /** Whether the page has loaded its report and receives events. */
  #isLoaded = false;
  #isRefreshing = false;
  #isRefreshDue = false;

  constructor(
    panel: vscode.WebviewPanel,
    parts: ReportPanelOptions,
    selected: TurnSelection,
    { isPinned, isEditor }: { readonly isPinned: boolean; readonly isEditor: boolean },
  ) {
    this.panel = panel;
    this.#file = isEditor ? sessionUri(selected.session) : null;
    this.#parts = parts;
    this.#selected = selected;
    this.#isPinned = isPinned;
    const { webview } = panel;
    this.#host = new PanelHost((message) => webview.postMessage(message));
    this.#listeners = vscode.Disposable.from(
      webview.onDidReceiveMessage((message: unknown) => this.#host.receive(message)),
      // A hidden page is unloaded, and loads again when it is shown.
      panel.onDidChangeViewState(() => {
        if (!panel.visible) this.#isLoaded = false;
      }),
    );
    handlePanelRequests(this.#host, this, parts);
    this.#updateTitle();
    if (!isEditor) panel.iconPath = reportIcon(parts.extensionUri);
    const { session, turn } = selected;
    const data = { session, ...(turn !== null && { turn: String(turn) }) };
    showPage(panel, parts.extensionUri, { data, context: { session } });
  }

  get uri(): string {
    return sessionUri(this.#selected.session);
  }

  get selected(): TurnSelection {
    return this.#selected;
  }

  /** Whether it shows its session for good. */
  get isPinned(): boolean {
    return this.#isPinned;
  }

  get isEditor(): boolean {
    return this.#file !== null;
  }

  /** Whether it can be reused for another session. */
  canShow(session: string): boolean {
    return !this.#isPinned && (this.#file === null || this.#file === sessionUri(session));
  }

  keep(): void {
    this.#isPinned = true;
    if (this.#isLoaded) this.notify({ event: 'pinned' });
  }

  select(selected: TurnSelection): void {
    this.#setSelection(selected);
    // A page that is hidden or loading selects it when it has loaded.
    if (this.#isLoaded) this.notify({ event: 'select', ...selected });
    else this.#next = selected;
  }

  setSelected(selected: TurnSelection): void {
    this.#next = undefined;
    this.#setSelection(selected);
  }

  markShown(session: string, revision: number | null): void {
    if (this.#file !== null && !this.#next && session !== this.#selected.session) this.#followPage(session, revision);
    this.#revision = Math.max(this.#revision, revision ?? 0);
    this.#isLoaded = true;
    const next = this.#next;
    this.#next = undefined;
    if (next) this.notify({ event: 'select', ...next });
    if (this.#isPinned) this.notify({ event: 'pinned' });
  }

  /** VS Code tells no custom editor what its page showed before the window was reloaded. */
  #followPage(session: string, revision: number | null): void {
    if (revision !== null && sessionUri(session) === this.#file) this.#setSelection({ session, turn: null });
    else this.#next = this.#selected;
  }

  /** The results of its file have changed. */
  refresh(): void {
    // A hidden page requests everything again when it is shown.
    if (!this.panel.visible) return;
    if (this.#isRefreshing) {
      this.#isRefreshDue = true;
      return;
    }
    this.#isRefreshing = true;
    this.#changes().then(
      (event) => this.#refreshed(event),
      (error: unknown) => {
        this.#parts.log.warn(String(error));
        this.#refreshed(ALL_CHANGED);
      },
    );
  }

  notify(event: PanelEvent): void {
    this.#host.notify(event);
  }

  async #changes(): Promise<PanelEvent> {
    const { server } = this.#parts;
    // A request would start the server.
    if (!server.isRunning) return ALL_CHANGED;
    const { session } = this.#selected;
    const { revision, turns } = await server.request(reportChanges, { session, since: this.#revision });
    if (session !== this.#selected.session) return ALL_CHANGED;
    this.#revision = revision;
    return { event: 'changed', turns };
  }

  #refreshed(event: PanelEvent): void {
    this.#isRefreshing = false;
    this.notify(event);
    if (!this.#isRefreshDue) return;
    this.#isRefreshDue = false;
    this.refresh();
  }

  #setSelection(selected: TurnSelection): void {
    const isOther = selected.session !== this.#selected.session;
    this.#selected = selected;
    if (!isOther) return;
    this.#revision = 0;
    this.#updateTitle();
  }

  #updateTitle(): void {
    if (!this.isEditor) this.panel.title = vscode.l10n.t('Report: {0}', fileName(this.uri));
  }

  /** Called when the panel is closed. */
  dispose(): void {
    this.#host.stop();
    this.#listeners.dispose();
  }
}
