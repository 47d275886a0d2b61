import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { ALL_CHANGED, PanelHost } from '../protocol/panel.ts';
import { onRequest, type RequestType } from '../protocol/rpc.ts';
import { openRunsPage } from '../protocol/runs.ts';
import {
  EMPTY_SUMMARY,
  evaluateScope,
  openSessionReport,
  overviewRows,
  overviewScores,
  overviewState,
  overviewSummary,
} from '../protocol/sessions-overview.ts';
import { showError } from './errors.ts';
import { fileName } from './labels.ts';
import type { ReportPanelOptions } from './report-panel-types.ts';
import type { ChangedFiles } from './results-model.ts';
import type { RunPages } from './run-pages.ts';
import { reportIcon, showPage } from './webview-page.ts';

/** The services that overview panels use. */
type OverviewPanelOptions = Pick<
  ReportPanelOptions,
  'extensionUri' | 'log' | 'server' | 'evaluation' | 'stateRestore'
> & {
  /** Where two of the sessions are compared. */
  readonly runPages: Pick<RunPages, 'open'>;
};

/** The open tables of sessions, one per file, folder or workspace, restored after a reload. */
export class OverviewPanels implements vscode.WebviewPanelSerializer, vscode.Disposable {
  static readonly viewType = 'turnwise.sessions';

  readonly #options: OverviewPanelOptions;
  /** By scope: the URI of a file or a folder; null: all results. */
  readonly #open = new Map<string | null, OverviewPanel>();
  readonly #serializer: vscode.Disposable;

  constructor(options: OverviewPanelOptions) {
    this.#options = options;
    this.#serializer = vscode.window.registerWebviewPanelSerializer(OverviewPanels.viewType, this);
  }

  /** Shows the sessions of a file or a folder. @param scope its URI; null: all results. */
  open(scope: string | null): void {
    const open = this.#open.get(scope);
    if (open) {
      open.panel.reveal();
      return;
    }
    this.#fill(vscode.window.createWebviewPanel(OverviewPanels.viewType, '', vscode.ViewColumn.Active), scope);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { success, data } = z.safeParse(overviewState, state);
    if (success && !this.#open.has(data.scope)) this.#fill(panel, data.scope);
    else panel.dispose();
  }

  /** Refreshes visible panels. @param uris the changed files. */
  refresh(uris: ChangedFiles): void {
    for (const [scope, open] of this.#open) if (isAffected(scope, uris)) open.refresh();
  }

  #fill(panel: vscode.WebviewPanel, scope: string | null): void {
    const open = new OverviewPanel(panel, this.#options, scope);
    this.#open.set(scope, open);
    panel.onDidDispose(() => {
      open.dispose();
      this.#open.delete(scope);
    });
  }

  dispose(): void {
    this.#serializer.dispose();
    for (const { panel } of this.#open.values()) panel.dispose();
  }
}

function isAffected(scope: string | null, uris: ChangedFiles): boolean {
  if (scope === null || !uris) return true;
  return [...uris].some((uri) => uri === scope || uri.startsWith(`${scope}/`));
}

/** A table of sessions. */
class OverviewPanel implements vscode.Disposable {
  readonly panel: vscode.WebviewPanel;
  readonly #host: PanelHost;
  readonly #listener: vscode.Disposable;

  constructor(panel: vscode.WebviewPanel, options: OverviewPanelOptions, scope: string | null) {
    this.panel = panel;
    const { webview } = panel;
    this.#host = new PanelHost((message) => webview.postMessage(message));
    this.#listener = webview.onDidReceiveMessage((message: unknown) => this.#host.receive(message));
    handleRequests(this.#host, options, scope);
    panel.title = scope === null ? vscode.l10n.t('Sessions') : vscode.l10n.t('Sessions: {0}', fileName(scope));
    panel.iconPath = reportIcon(options.extensionUri);
    showPage(panel, options.extensionUri, {
      data: { page: 'sessions', ...(scope !== null && { scope }) },
      context: {},
    });
  }

  /** The results have changed. A hidden page requests everything again when it is shown. */
  refresh(): void {
    if (this.panel.visible) this.#host.notify(ALL_CHANGED);
  }

  /** Called when the panel is closed. */
  dispose(): void {
    this.#host.stop();
    this.#listener.dispose();
  }
}

function handleRequests(host: PanelHost, options: OverviewPanelOptions, scope: string | null): void {
  const { server, stateRestore, evaluation, runPages, log } = options;
  /** Without results, a request would start the server for nothing. */
  const pass = <Params, Result>(request: RequestType<Params, Result>, empty: Result): void =>
    onRequest(host, request, async (params, token) => {
      if (!server.isRunning && !stateRestore.hasStoredResults) return empty;
      return server.request(request, params, token);
    });
  pass(overviewRows, { total: 0, matching: 0, rows: [] });
  pass(overviewSummary, EMPTY_SUMMARY);
  pass(overviewScores, {
    distributions: [],
    correctedShares: [],
    completion: { score: null, reason: null },
    attempts: null,
  });
  /** Errors are shown in the editor, not in the panel. */
  const run = async (work: Thenable<unknown>): Promise<Record<string, never>> => {
    await Promise.resolve(work).catch((error: unknown) => void showError(error, log));
    return {};
  };
  onRequest(host, openSessionReport, ({ session }) =>
    run(vscode.commands.executeCommand('turnwise.openReport', { session, turn: null })),
  );
  onRequest(host, openRunsPage, ({ scope: page }) => {
    runPages.open(page);
    return {};
  });
  onRequest(host, evaluateScope, () =>
    run(
      scope === null
        ? vscode.commands.executeCommand('turnwise.evaluateAll')
        : evaluation.run([vscode.Uri.parse(scope)], 'here'),
    ),
  );
}
