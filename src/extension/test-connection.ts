import * as vscode from 'vscode';
import { type JudgeTest, type JudgeTestParams, testJudge } from '../protocol/models.ts';
import { withCancellableProgress } from './cancellable-progress.ts';
import { UserError } from './errors.ts';
import { escapeLabel } from './labels.ts';
import type { LanguageServer } from './language-server.ts';
import { openTrace } from './open-trace.ts';
import type { ReportPanels } from './report-panels.ts';
import { targetResource } from './target-resource.ts';

/** Sends the judge of the configuration one question, and shows how it answered. */
export async function testConnection({
  server,
  reports,
}: {
  readonly server: Pick<LanguageServer, 'request'>;
  readonly reports: Pick<ReportPanels, 'active'>;
}): Promise<void> {
  const uri = openTrace(reports) ?? targetResource();
  if (!uri) throw new UserError(vscode.l10n.t('Open a folder or a trace first. Its configuration names the judge.'));
  const test = await requestTest(server, { uri: uri.toString() }, vscode.l10n.t('Testing the judge…'));
  if (test.status === 'answered') {
    void vscode.window.showInformationMessage(answeredMessage(test));
  } else if (test.status === 'failed') {
    const choose = vscode.l10n.t('Choose Judge…');
    const chosen = await vscode.window.showErrorMessage(escapeLabel(test.error), choose);
    if (chosen === choose) await vscode.commands.executeCommand('turnwise.chooseJudge');
  }
}

/** @param title of the progress, which has a button to cancel. */
export async function requestTest(
  server: Pick<LanguageServer, 'request'>,
  params: JudgeTestParams,
  title: string,
): Promise<JudgeTest> {
  const test = await withCancellableProgress(title, (token) => server.request(testJudge, params, token));
  return test ?? { status: 'cancelled' };
}

/** `gpt-5-mini answered in 0.8 s (52 tokens).` */
export function answeredMessage({
  model,
  tokens,
  isEstimated,
  ms,
}: Extract<JudgeTest, { status: 'answered' }>): string {
  const seconds = (Math.max(ms, 100) / 1000).toFixed(1);
  const name = escapeLabel(model);
  return isEstimated
    ? vscode.l10n.t('{0} answered in {1} s (about {2} tokens).', name, seconds, tokens)
    : vscode.l10n.t('{0} answered in {1} s ({2} tokens).', name, seconds, tokens);
}
