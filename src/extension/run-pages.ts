import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { labelsOf, locateResult, nextResult, setLabel, storeCalibration } from '../protocol/labels.ts';
import { ALL_CHANGED, PanelHost, reveal } from '../protocol/panel.ts';
import { onRequest, type RequestType } from '../protocol/rpc.ts';
import {
  comparedTranscripts,
  compareRuns,
  openRunsPage,
  previousRun,
  type RunCommand,
  type RunsScope,
  runDistribution,
  runLeaderboard,
  runRejudge,
  runRunCommand,
  runSessions,
  runs,
  runsById,
  runsChanged,
  runsPanelState,
  runTrend,
} from '../protocol/runs.ts';
import { openSessionReport } from '../protocol/sessions-overview.ts';
import { showError } from './errors.ts';
import type { LanguageServer } from './language-server.ts';
import { showTarget } from './panel-requests.ts';
import type { ReportPanelOptions } from './report-panel-types.ts';
import { reportIcon, showPage } from './webview-page.ts';

type RunPagesOptions = Pick<ReportPanelOptions, 'extensionUri' | 'log' | 'follow' | 'evidence'> & {
  readonly server: Pick<LanguageServer, 'request' | 'isRunning' | 'onNotification'>;
};

/** The open pages about runs: comparisons, pairs of transcripts, trends, results to label. They are restored after a reload. */
export class RunPages implements vscode.WebviewPanelSerializer, vscode.Disposable {
  static readonly viewType = 'turnwise.runs';

  readonly #options: RunPagesOptions;
  /** By what they show. */
  readonly #open = new Map<string, RunPage>();
  readonly #serializer: vscode.Disposable;

  constructor(options: RunPagesOptions) {
    this.#options = options;
    this.#serializer = vscode.window.registerWebviewPanelSerializer(RunPages.viewType, this);
    options.server.onNotification(runsChanged, ({ progressed }) => this.#refresh((scope) => shows(scope, progressed)));
  }

  open(scope: RunsScope): void {
    const open = this.#open.get(keyOf(scope));
    if (open) open.panel.reveal();
    else this.#fill(vscode.window.createWebviewPanel(RunPages.viewType, '', vscode.ViewColumn.Active), scope);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { success, data } = z.safeParse(runsPanelState, state);
    if (success && !this.#open.has(keyOf(data.scope))) this.#fill(panel, data.scope);
    else panel.dispose();
  }

  /** The results of files have changed, which only pages of current results show. */
  onResults(): void {
    this.#refresh(({ show }) => show === 'transcripts');
  }

  #refresh(isAffected: (scope: RunsScope) => boolean): void {
    for (const page of this.#open.values()) if (isAffected(page.scope)) page.refresh();
  }

  #fill(panel: vscode.WebviewPanel, scope: RunsScope): void {
    const page = new RunPage(panel, scope, this.#options, (other) => this.open(other));
    this.#open.set(keyOf(scope), page);
    panel.onDidDispose(() => {
      page.dispose();
      this.#open.delete(keyOf(scope));
    });
  }

  dispose(): void {
    this.#serializer.dispose();
    for (const { panel } of this.#open.values()) panel.dispose();
  }
}

/** @param progressed the only runs that have changed, which are being written; undefined: any may have. */
function shows(scope: RunsScope, progressed: readonly string[] | undefined): boolean {
  if (progressed === undefined) return true;
  return scope.show === 'comparison' && scope.runs.some((run) => progressed.includes(run));
}

function keyOf(scope: RunsScope): string {
  return JSON.stringify(scope);
}

/** A page about runs. */
class RunPage implements vscode.Disposable {
  readonly panel: vscode.WebviewPanel;
  readonly scope: RunsScope;
  readonly #host: PanelHost;
  readonly #listener: vscode.Disposable;

  constructor(
    panel: vscode.WebviewPanel,
    scope: RunsScope,
    options: RunPagesOptions,
    open: (scope: RunsScope) => void,
  ) {
    this.panel = panel;
    this.scope = scope;
    const { webview } = panel;
    this.#host = new PanelHost((message) => webview.postMessage(message));
    this.#listener = webview.onDidReceiveMessage((message: unknown) => this.#host.receive(message));
    handleRequests(this.#host, options, open);
    panel.title = TITLES[scope.show];
    panel.iconPath = reportIcon(options.extensionUri);
    showPage(panel, options.extensionUri, { data: { page: 'runs', scope: JSON.stringify(scope) }, context: {} });
  }

  /** Runs or results have changed. A hidden page requests everything again when it is shown. */
  refresh(): void {
    if (this.panel.visible) this.#host.notify(ALL_CHANGED);
  }

  /** Called when the panel is closed. */
  dispose(): void {
    this.#host.stop();
    this.#listener.dispose();
  }
}

const TITLES = {
  comparison: vscode.l10n.t('Compare Runs'),
  transcripts: vscode.l10n.t('Compare Sessions'),
  trend: vscode.l10n.t('Trends'),
  labels: vscode.l10n.t('Label Results'),
} as const satisfies Record<RunsScope['show'], string>;

const RUN_COMMANDS = {
  compareWith: 'turnwise.compareWith',
  setAsBaseline: 'turnwise.setAsBaseline',
  rename: 'turnwise.renameRun',
  export: 'turnwise.exportRun',
} as const satisfies Record<RunCommand, string>;

function handleRequests(host: PanelHost, options: RunPagesOptions, open: (scope: RunsScope) => void): void {
  const { server, log } = options;
  const pass = <Params, Result>(request: RequestType<Params, Result>): void =>
    onRequest(host, request, (params, token) => server.request(request, params, token));
  pass(runs);
  pass(runsById);
  pass(runSessions);
  pass(previousRun);
  pass(compareRuns);
  pass(comparedTranscripts);
  pass(runTrend);
  pass(runDistribution);
  pass(runLeaderboard);
  pass(labelsOf);
  pass(nextResult);
  pass(setLabel);
  pass(storeCalibration);
  pass(locateResult);
  /** Errors are shown in the editor, not in the panel. */
  const run = async (work: Thenable<unknown>): Promise<Record<string, never>> => {
    await Promise.resolve(work).catch((error: unknown) => void showError(error, log));
    return {};
  };
  onRequest(host, openRunsPage, ({ scope }) => {
    open(scope);
    return {};
  });
  onRequest(host, reveal, ({ target, focus }) => run(showTarget(target, focus, options)));
  onRequest(host, openSessionReport, ({ session }) =>
    run(vscode.commands.executeCommand('turnwise.openReport', { session, turn: null })),
  );
  onRequest(host, runRejudge, (target) => run(vscode.commands.executeCommand('turnwise.rejudge', target)));
  onRequest(host, runRunCommand, ({ run: id, command }) =>
    run(vscode.commands.executeCommand(RUN_COMMANDS[command], { run: id })),
  );
}
