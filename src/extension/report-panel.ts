import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { CHANGED, evaluateAgain, leave, PanelAnswerer, panelState, reveal, uriOfSession } from '../protocol/panel.ts';
import { locate, report } from '../protocol/report.ts';
import type { Target } from '../protocol/report-values.ts';
import { answer } from '../protocol/request.ts';
import { turns } from '../protocol/turn-rows.ts';
import { Refusal, showError } from './errors.ts';
import type { Evaluation } from './evaluation.ts';
import type { Changed } from './held.ts';
import type { LanguageServer } from './language-server.ts';
import { reportPage } from './report-page.ts';
import { fileName, shown } from './words.ts';

/** What the panels work on. */
export interface Parts {
  readonly extensionUri: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  readonly server: LanguageServer;
  readonly evaluation: Evaluation;
}

/** The reports that are open, one panel per session. They open when somebody asks for them, and after a reload. */
export class ReportPanels implements vscode.WebviewPanelSerializer, vscode.Disposable {
  static readonly viewType = 'turnwise.report';

  readonly #parts: Parts;
  readonly #panels = new Map<string, vscode.WebviewPanel>();
  readonly #serializer: vscode.Disposable;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#serializer = vscode.window.registerWebviewPanelSerializer(ReportPanels.viewType, this);
  }

  /** Shows the report of a session, beside the editor; at a turn, unless it is open already. */
  open(session: { readonly key: string; readonly id: string }, turn: number | null): void {
    const open = this.#panels.get(session.key);
    if (open) {
      open.reveal();
      return;
    }
    const beside = [...this.#panels.values()].find(({ visible }) => visible)?.viewColumn ?? vscode.ViewColumn.Beside;
    const title = vscode.l10n.t('Report: {0}', shown(session.id).slice(0, 60));
    this.#fill(vscode.window.createWebviewPanel(ReportPanels.viewType, title, beside), session.key, turn);
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { success, data } = z.safeParse(panelState, state);
    if (success && !this.#panels.has(data.session)) this.#fill(panel, data.session, data.turn);
    else panel.dispose();
  }

  /** Lets what is open show what the server holds now. @param uris the files of which this may be another. */
  refresh(uris: Changed): void {
    for (const [session, { webview }] of this.#panels) {
      if (!uris || uris.has(uriOfSession(session))) void webview.postMessage(CHANGED);
    }
  }

  #fill(panel: vscode.WebviewPanel, session: string, turn: number | null): void {
    const { webview } = panel;
    this.#panels.set(session, panel);
    const answerer = new PanelAnswerer((message) => webview.postMessage(message));
    const listener = webview.onDidReceiveMessage((message: unknown) => answerer.receive(message));
    panel.onDidDispose(() => {
      listener.dispose();
      this.#panels.delete(session);
    });
    this.#answer(answerer, panel);
    const folder = vscode.Uri.joinPath(this.#parts.extensionUri, 'dist', 'webview');
    webview.options = { enableScripts: true, localResourceRoots: [folder] };
    webview.html = reportPage({
      session,
      turn,
      language: vscode.env.language,
      nonce: crypto.randomUUID(),
      source: webview.cspSource,
      script: webview.asWebviewUri(vscode.Uri.joinPath(folder, 'report.js')).toString(),
      style: webview.asWebviewUri(vscode.Uri.joinPath(folder, 'report.css')).toString(),
    });
  }

  #answer(answerer: PanelAnswerer, panel: vscode.WebviewPanel): void {
    const { server, evaluation, log } = this.#parts;
    // To ask would start the server, which would know of nothing.
    answer(answerer, report, async (given) => (server.isRunning ? server.ask(report, given) : { header: null }));
    answer(answerer, turns, async (given) => (server.isRunning ? server.ask(turns, given) : { rows: [] }));

    /** What goes wrong in the editor is said there. */
    const said = async (work: Promise<unknown>): Promise<Record<string, never>> => {
      await work.catch((error: unknown) => void showError(error, log));
      return {};
    };
    answer(answerer, reveal, ({ target, focus }) => said(this.#reveal(target, focus, panel)));
    answer(answerer, leave, ({ session }) => said(show(vscode.Uri.parse(uriOfSession(session)), panel, {})));
    answer(answerer, evaluateAgain, ({ session }) => said(evaluation.run([vscode.Uri.parse(uriOfSession(session))])));
  }

  async #reveal(target: Target, focus: boolean, panel: vscode.WebviewPanel): Promise<void> {
    const uri = vscode.Uri.parse(target.uri);
    const { place } = await this.#parts.server.ask(locate, target);
    if (!place) {
      throw new Refusal(
        vscode.l10n.t(
          '{0} is no JSON any more, so this is nowhere in it. Mend it and evaluate it again.',
          fileName(uri),
        ),
      );
    }
    const { start, end } = place.range;
    const selection = new vscode.Range(start.line, start.character, end.line, end.character);
    await show(uri, panel, { selection, preserveFocus: !focus });
  }

  dispose(): void {
    this.#serializer.dispose();
    for (const panel of this.#panels.values()) panel.dispose();
  }
}

/** Shows a file where it is visible already, else beside the panel. */
async function show(
  uri: vscode.Uri,
  panel: vscode.WebviewPanel,
  options: vscode.TextDocumentShowOptions,
): Promise<void> {
  const visible = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
  const beside = panel.viewColumn === vscode.ViewColumn.One ? vscode.ViewColumn.Two : vscode.ViewColumn.One;
  const viewColumn = visible?.viewColumn ?? beside;
  // The command, unlike the function, also opens files that are too large for extensions.
  await vscode.commands.executeCommand('vscode.open', uri, { viewColumn, preview: true, ...options });
}
