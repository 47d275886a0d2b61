import * as vscode from 'vscode';
import { type EvaluationOverrides, metricChoices } from '../protocol/evaluate-with.ts';
import type { CommandContext } from './command-context.ts';
import { pickJudge } from './judge-picker.ts';
import { escapeLabel } from './labels.ts';
import { pickModel } from './model-picker.ts';

type PickerContext = Pick<CommandContext, 'server' | 'keys'>;

type OverrideItem = vscode.QuickPickItem & { readonly pick: () => Promise<EvaluationOverrides | undefined> };

/** Asks what one evaluation does otherwise than the configuration says. Undefined: the user cancelled. */
export async function pickOverrides(uri: vscode.Uri, context: PickerContext): Promise<EvaluationOverrides | undefined> {
  const items: OverrideItem[] = [
    {
      label: vscode.l10n.t('Rules Only'),
      description: vscode.l10n.t('no model is used and nothing is sent'),
      pick: async () => ({ judge: { provider: 'rules' } }),
    },
    {
      label: vscode.l10n.t('Another Judge…'),
      description: vscode.l10n.t('for this evaluation only'),
      pick: () => pickOtherJudge(context),
    },
    {
      label: vscode.l10n.t('Some Metrics…'),
      description: vscode.l10n.t('only those that you select'),
      pick: () => pickMetrics(uri, context),
    },
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Evaluate with'),
    placeHolder: vscode.l10n.t('Settings and configuration stay as they are'),
  });
  return chosen?.pick();
}

async function pickOtherJudge({ server, keys }: PickerContext): Promise<EvaluationOverrides | undefined> {
  const picked = await pickJudge();
  if (!picked || picked.kind === 'rules') return picked && { judge: { provider: 'rules' } };
  const setup = await pickModel(picked, { server, keys, replacesKey: false, use: 'judge' });
  if (!setup) return undefined;
  if (setup.key !== null) await keys.set(setup.host, setup.key);
  return { judge: setup.model };
}

async function pickMetrics(uri: vscode.Uri, { server }: PickerContext): Promise<EvaluationOverrides | undefined> {
  const items = server.request(metricChoices, { uri: uri.toString() }).then(({ metrics }) =>
    metrics.map(({ name, question, scope, usesJudge }) => ({
      label: escapeLabel(name),
      description: [
        scope === 'turn' ? vscode.l10n.t('of each turn') : vscode.l10n.t('of the session'),
        ...(usesJudge ? [vscode.l10n.t('asks the judge')] : []),
      ].join(', '),
      detail: escapeLabel(question),
      name,
    })),
  );
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Select the metrics to compute'),
    canPickMany: true,
    matchOnDescription: true,
    matchOnDetail: true,
    ignoreFocusOut: true,
  });
  return chosen && chosen.length > 0 ? { metrics: chosen.map(({ name }) => name) } : undefined;
}
