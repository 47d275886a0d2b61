import * as vscode from 'vscode';
import { ALL_CHANGED, type PanelEvent, PanelHost, sessionUri } from '../protocol/panel.ts';
import { reportChanges } from '../protocol/report.ts';
import { fileName } from './labels.ts';
import { handlePanelRequests } from './panel-requests.ts';
import { renderReportPage } from './report-page.ts';
import type { ReportPanelHandle, ReportPanelOptions, TurnSelection } from './report-panel-types.ts';

/** A report panel. It shows one session, and others until it is kept open. */
export class ReportPanel implements ReportPanelHandle, vscode.Disposable {
  readonly panel: vscode.WebviewPanel;
  readonly #parts: ReportPanelOptions;
  readonly #answerer: PanelHost;
  readonly #listeners: vscode.Disposable;
  #selected: TurnSelection;
  #isPinned: boolean;
  /** What to select when the page has loaded, instead of its saved state. */
  #next: TurnSelection | undefined;
  /** The revision of the results that the page shows. */
  #revision = 0;
  /** Whether the page has loaded its report and receives events. */
  #isThere = false;
  #isAsking = false;
  #isAskedAgain = false;

  constructor(panel: vscode.WebviewPanel, parts: ReportPanelOptions, selected: TurnSelection, isPinned: boolean) {
    this.panel = panel;
    this.#parts = parts;
    this.#selected = selected;
    this.#isPinned = isPinned;
    const { webview } = panel;
    this.#answerer = new PanelHost((message) => webview.postMessage(message));
    this.#listeners = vscode.Disposable.from(
      webview.onDidReceiveMessage((message: unknown) => this.#answerer.receive(message)),
      // A hidden page is unloaded, and loads again when it is shown.
      panel.onDidChangeViewState(() => {
        if (!panel.visible) this.#isThere = false;
      }),
    );
    handlePanelRequests(this.#answerer, this, parts);
    this.#name();
    const media = vscode.Uri.joinPath(parts.extensionUri, 'media');
    panel.iconPath = {
      light: vscode.Uri.joinPath(media, 'report-light.svg'),
      dark: vscode.Uri.joinPath(media, 'report-dark.svg'),
    };
    const folder = vscode.Uri.joinPath(parts.extensionUri, 'dist', 'webview');
    webview.options = { enableScripts: true, localResourceRoots: [folder] };
    webview.html = renderReportPage({
      ...selected,
      language: vscode.env.language,
      translations: vscode.l10n.bundle,
      nonce: crypto.randomUUID(),
      source: webview.cspSource,
      script: webview.asWebviewUri(vscode.Uri.joinPath(folder, 'report.js')).toString(),
      style: webview.asWebviewUri(vscode.Uri.joinPath(folder, 'report.css')).toString(),
    });
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

  keep(): void {
    this.#isPinned = true;
    if (this.#isThere) this.notify({ event: 'pinned' });
  }

  select(selected: TurnSelection): void {
    this.#is(selected);
    // A page that is hidden or loading selects it when it has loaded.
    if (this.#isThere) this.notify({ event: 'select', ...selected });
    else this.#next = selected;
  }

  setSelected(selected: TurnSelection): void {
    this.#next = undefined;
    this.#is(selected);
  }

  markShown(revision: number): void {
    this.#revision = Math.max(this.#revision, revision);
    this.#isThere = true;
    const next = this.#next;
    this.#next = undefined;
    if (next) this.notify({ event: 'select', ...next });
    if (this.#isPinned) this.notify({ event: 'pinned' });
  }

  /** The results of its file have changed. */
  refresh(): void {
    // A hidden page requests everything again when it is shown.
    if (!this.panel.visible) return;
    if (this.#isAsking) {
      this.#isAskedAgain = true;
      return;
    }
    this.#isAsking = true;
    this.#changes().then(
      (event) => this.#refreshed(event),
      (error: unknown) => {
        this.#parts.log.warn(String(error));
        this.#refreshed(ALL_CHANGED);
      },
    );
  }

  notify(event: PanelEvent): void {
    this.#answerer.notify(event);
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
    this.#isAsking = false;
    this.notify(event);
    if (!this.#isAskedAgain) return;
    this.#isAskedAgain = false;
    this.refresh();
  }

  #is(selected: TurnSelection): void {
    const isOther = selected.session !== this.#selected.session;
    this.#selected = selected;
    if (!isOther) return;
    this.#revision = 0;
    this.#name();
  }

  #name(): void {
    this.panel.title = vscode.l10n.t('Report: {0}', fileName(this.uri));
  }

  /** Called when the panel is closed. */
  dispose(): void {
    this.#answerer.stop();
    this.#listeners.dispose();
  }
}
