import * as vscode from 'vscode';
import type { LiveStatus } from '../protocol/live.ts';
import type { CommandContext } from './command-context.ts';
import { UserError } from './errors.ts';

type LiveContext = Pick<CommandContext, 'live' | 'log'>;

/** Starts to receive traces, and shows how to send them; while they are received, shows what can be done. */
export async function watchMyAgent(context: LiveContext): Promise<void> {
  const { status } = context.live;
  if (status) return showMenu(status, context);
  if (!vscode.workspace.isTrusted) {
    const message = vscode.l10n.t(
      'This folder is not trusted, so no traces are received. Trust it to watch your agent.',
    );
    throw new UserError(message, { title: vscode.l10n.t('Manage Trust'), command: 'workbench.trust.manage' });
  }
  const project = await pickProject();
  if (!project) return;
  // Not awaited: the message stays open until the user closes it.
  void showSetup(await context.live.start(project.toString()));
}

async function pickProject(): Promise<vscode.Uri | undefined> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const [only, ...others] = folders;
  if (!only) throw new UserError(vscode.l10n.t('Open a folder first. Traces are written to its .turnwise/live.'));
  if (others.length === 0) return only.uri;
  const placeHolder = vscode.l10n.t('Select the folder of your agent');
  return (await vscode.window.showWorkspaceFolderPick({ placeHolder }))?.uri;
}

async function showSetup({ message, setup }: LiveStatus): Promise<void> {
  const copy = vscode.l10n.t('Copy Set-up Lines');
  const buttons = setup === '' ? [] : [copy];
  if ((await vscode.window.showInformationMessage(message, ...buttons)) === copy)
    await vscode.env.clipboard.writeText(setup);
}

async function showMenu({ label, setup, folder }: LiveStatus, { live, log }: LiveContext): Promise<void> {
  const actions = [
    ...(setup === ''
      ? []
      : [{ label: vscode.l10n.t('Copy Set-up Lines'), run: () => vscode.env.clipboard.writeText(setup) }]),
    {
      label: vscode.l10n.t('Open Folder'),
      run: () => vscode.commands.executeCommand('revealInExplorer', vscode.Uri.parse(folder)),
    },
    { label: vscode.l10n.t('Show Log'), run: () => log.show() },
    { label: vscode.l10n.t('Stop Watching'), run: () => live.stop() },
  ];
  await (
    await vscode.window.showQuickPick(actions, { title: vscode.l10n.t('Watch My Agent'), placeHolder: label })
  )?.run();
}
