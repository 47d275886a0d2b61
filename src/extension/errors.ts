import * as vscode from 'vscode';
import type { FileProblemRow } from '../protocol/messages.ts';
import { escapeLabel, fileName } from './labels.ts';
import { openLocationCommand } from './result-items.ts';

/** A button of a message, and the command that it runs. */
export interface MessageAction {
  readonly title: string;
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

/** An expected error, whose message the user understands without the log. */
export class UserError extends Error {
  readonly action: MessageAction | undefined;

  /** @param action what the user can do about it. */
  constructor(message: string, action?: MessageAction) {
    super(message);
    this.action = action;
  }
}

/** Throws the sentence for a file that only the editor has. */
export function requireOnDisk(uri: vscode.Uri): void {
  if (uri.scheme === 'file') return;
  const name = fileName(uri);
  throw new UserError(
    uri.scheme === 'untitled'
      ? vscode.l10n.t('Save {0} to evaluate it.', name)
      : vscode.l10n.t('{0} is not on disk ({1}:). Save a copy to evaluate it.', name, uri.scheme),
  );
}

/** Shows an error; an unexpected one is logged with its stack. */
export async function showError(error: unknown, log: Pick<vscode.LogOutputChannel, 'error' | 'show'>): Promise<void> {
  if (error instanceof UserError) {
    const { message, action } = error;
    const chosen = await vscode.window.showErrorMessage(escapeLabel(message), ...(action ? [action.title] : []));
    if (action && chosen === action.title)
      await vscode.commands.executeCommand(action.command, ...(action.arguments ?? []));
    return;
  }
  const problem = error instanceof Error ? error : new Error(String(error));
  log.error(problem);
  const showLog = vscode.l10n.t('Show Log');
  if ((await vscode.window.showErrorMessage(escapeLabel(problem.message), showLog)) === showLog) log.show();
}

/** Shows the first problem of a file, with a button that opens its location. */
export async function showFileProblem({ message, location, isNoTrace }: FileProblemRow, others: number): Promise<void> {
  const name = fileName(location.uri);
  const sentence = isNoTrace
    ? vscode.l10n.t(
        '{0} is not a trace that Turnwise reads. A "map" in the configuration can describe its format.',
        name,
      )
    : `${name}: ${escapeLabel(message)}`;
  const also = others === 0 ? '' : ` ${vscode.l10n.t('({0} more in the Results view)', others)}`;
  const openFile = vscode.l10n.t('Open File');
  if ((await vscode.window.showErrorMessage(`${sentence}${also}`, openFile)) !== openFile) return;
  const { command, arguments: args = [] } = openLocationCommand(location);
  await vscode.commands.executeCommand(command, ...args);
}

/** Shows why no judge answered, once per evaluation. */
export async function showJudgeOutage(cause: string, log: Pick<vscode.LogOutputChannel, 'show'>): Promise<void> {
  const showLog = vscode.l10n.t('Show Log');
  if ((await vscode.window.showWarningMessage(escapeLabel(cause), showLog)) === showLog) log.show();
}
