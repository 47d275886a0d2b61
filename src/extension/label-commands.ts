import * as vscode from 'vscode';
import { type MetricToLabel, metricsToLabel } from '../protocol/labels.ts';
import type { CommandContext } from './command-context.ts';
import { UserError } from './errors.ts';
import { escapeLabel } from './labels.ts';
import { selectedRuns } from './run-commands.ts';

/** Opens the results of a judge to be labelled: those of the selected run, else of the newest one that a judge took part in. */
export async function labelResults(context: CommandContext, ...args: unknown[]): Promise<void> {
  const [selected] = selectedRuns(context, args);
  const { run, metrics } = await context.server.request(metricsToLabel, { run: selected?.id ?? null });
  if (run === null) throw selected ? noJudge() : noJudgedRun();
  const metric = metrics.length > 1 ? await pickMetric(metrics) : metrics[0];
  if (metric) context.runPages.open({ show: 'labels', run, metric: metric.metric });
}

function noJudge(): UserError {
  return new UserError(
    vscode.l10n.t(
      'No judge answered in this run, so there is nothing to label. Evaluate with a judge, or label another run.',
    ),
  );
}

function noJudgedRun(): UserError {
  const action = { title: vscode.l10n.t('Choose Judge…'), command: 'turnwise.chooseJudge' };
  return new UserError(
    vscode.l10n.t('No recorded run has results of a judge. Choose a judge and evaluate traces first.'),
    action,
  );
}

async function pickMetric(metrics: readonly MetricToLabel[]): Promise<MetricToLabel | undefined> {
  const placeHolder = vscode.l10n.t('Select the metric whose judge you want to check');
  const options = { title: vscode.l10n.t('Label Results'), placeHolder, matchOnDescription: true };
  return (await vscode.window.showQuickPick(metrics.map(choice), options))?.metric;
}

function choice(metric: MetricToLabel): vscode.QuickPickItem & { readonly metric: MetricToLabel } {
  const { heldOut, missing, results, labelled, judge } = metric;
  const need =
    missing === 0
      ? vscode.l10n.t('{0} held-out labels, enough to calibrate', heldOut)
      : vscode.l10n.t('{0} of {1} held-out labels', heldOut, heldOut + missing);
  const done = vscode.l10n.t('{0} of {1} results labelled', labelled, results);
  return { label: escapeLabel(metric.metric), description: need, detail: `${done} · ${escapeLabel(judge)}`, metric };
}
