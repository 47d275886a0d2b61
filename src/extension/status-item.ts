import * as vscode from 'vscode';
import { escapeLabel, fileName, headlinesLabel, judgeLabel } from './labels.ts';
import type { LanguageServer } from './language-server.ts';
import type { ResultsModel } from './results-model.ts';

/** The outcomes and the judges in the status bar, once there are results. */
export class StatusItem implements vscode.Disposable {
  readonly #server: LanguageServer;
  readonly #model: ResultsModel;
  readonly #listening: vscode.Disposable;
  #item: vscode.StatusBarItem | undefined;

  constructor(server: LanguageServer, model: ResultsModel) {
    this.#server = server;
    this.#model = model;
    this.#listening = vscode.Disposable.from(
      model.onDidChange(() => this.#show()),
      server.onDidChangeState(() => this.#show()),
    );
  }

  #show(): void {
    const status = statusContent(this.#server.state, this.#model.snapshot);
    if (!status) {
      this.#item?.hide();
      return;
    }
    this.#item ??= vscode.window.createStatusBarItem('turnwise.status', vscode.StatusBarAlignment.Left);
    const item = this.#item;
    item.name = 'Turnwise';
    item.text = status.text;
    item.tooltip = status.tooltip;
    item.command = status.command;
    item.backgroundColor = status.isWarning ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    item.accessibilityInformation = { label: `${status.text}. ${status.tooltip}` };
    item.show();
  }

  dispose(): void {
    this.#listening.dispose();
    this.#item?.dispose();
  }
}

interface StatusContent {
  readonly text: string;
  readonly tooltip: string;
  readonly command: string;
  readonly isWarning: boolean;
}

/** Null without results. */
export function statusContent(
  state: LanguageServer['state'],
  snapshot: ResultsModel['snapshot'],
): StatusContent | null {
  if (state === 'broken') {
    return {
      text: vscode.l10n.t('Turnwise: server stopped'),
      tooltip: vscode.l10n.t('The language server stopped repeatedly. Click to restart it or to see its log.'),
      command: 'turnwise.showServerStatus',
      isWarning: true,
    };
  }
  const { headlines, unreadable, rows } = snapshot;
  const counts = headlinesLabel(headlines, unreadable);
  if (counts === null) return null;
  return {
    text: vscode.l10n.t('Turnwise: {0} · {1}', counts, judgeLabel(snapshot)),
    tooltip: [...worstHeadline(rows), vscode.l10n.t('Click to show the results')].join('\n'),
    command: 'turnwise.results.focus',
    isWarning: false,
  };
}

/** Of the first session listed, where something speaks against it. */
function worstHeadline(rows: ResultsModel['snapshot']['rows']): string[] {
  const session = rows.find((row) => row.session !== null && row.session.turnsDone === null)?.session;
  if (!session || session.headline.kind === 'clean' || session.headline.kind === 'succeeded') return [];
  return [`${fileName(session.location.uri)}: ${escapeLabel(session.headline.text)}`];
}
