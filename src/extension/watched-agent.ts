import * as vscode from 'vscode';
import { type LiveStatus, liveChanged, liveProblem, stopWatching, watchAgent } from '../protocol/live.ts';
import { sendRequest } from '../protocol/rpc.ts';
import { setContext } from './context-keys.ts';
import { escapeLabel } from './labels.ts';
import type { LanguageServer } from './language-server.ts';

/** The part of the server that this class uses. */
type LiveSource = Pick<LanguageServer, 'request' | 'isRunning' | 'onNotification' | 'onDidChangeState' | 'onStart'>;

/** Traces that the server receives, in the status bar while it does. Off until the user asks for it. */
export class WatchedAgent implements vscode.Disposable {
  readonly #server: LiveSource;
  readonly #listening: vscode.Disposable;
  #item: vscode.StatusBarItem | undefined;
  #status: LiveStatus | null = null;
  /** The folder that the user wants to be watched, also after a restart of the server. */
  #project: string | undefined;

  constructor(server: LiveSource) {
    this.#server = server;
    server.onNotification(liveChanged, ({ status }) => this.#show(status));
    server.onNotification(liveProblem, ({ session, turn, text }) => void showProblem({ session, turn }, text));
    server.onStart(async (connection) => {
      const project = this.#project;
      if (project !== undefined) this.#show(await sendRequest(connection, watchAgent, { project }));
    });
    this.#listening = server.onDidChangeState((state) => {
      if (state !== 'on') this.#show(null);
    });
  }

  /** Null while nothing is received. */
  get status(): LiveStatus | null {
    return this.#status;
  }

  async start(project: string): Promise<LiveStatus> {
    const status = await this.#server.request(watchAgent, { project });
    this.#project = project;
    this.#show(status);
    return status;
  }

  /** Nothing is written after this resolves. */
  async stop(): Promise<void> {
    this.#project = undefined;
    if (this.#server.isRunning) await this.#server.request(stopWatching, {});
    this.#show(null);
  }

  #show(status: LiveStatus | null): void {
    if ((status === null) !== (this.#status === null)) void setContext('turnwise.watching', status !== null);
    this.#status = status;
    if (!status) {
      this.#item?.hide();
      return;
    }
    this.#item ??= createItem();
    this.#item.text = `$(broadcast) ${status.label}`;
    this.#item.tooltip = status.details;
    this.#item.accessibilityInformation = { label: `${status.label}. ${status.details}` };
    this.#item.show();
  }

  dispose(): void {
    this.#listening.dispose();
    this.#item?.dispose();
  }
}

function createItem(): vscode.StatusBarItem {
  const item = vscode.window.createStatusBarItem('turnwise.live', vscode.StatusBarAlignment.Left);
  item.name = vscode.l10n.t('Turnwise: Watched Agent');
  item.command = 'turnwise.watchAgent';
  return item;
}

async function showProblem(
  target: { readonly session: string; readonly turn: number | null },
  text: string,
): Promise<void> {
  const open = vscode.l10n.t('Open Report');
  if ((await vscode.window.showWarningMessage(escapeLabel(text), open)) === open)
    await vscode.commands.executeCommand('turnwise.openReport', target);
}
