import * as vscode from 'vscode';
import { type EditorModel, editorModelName, parseEditorModel } from '../core/editor-models.ts';
import { editorModels } from './editor-models.ts';
import { findServers } from './running-servers.ts';
import { type ChoiceItem, type PickedServer, pickChoice, serverItems } from './server-picker.ts';

/** What the user picked. */
export type PickedJudge =
  | { readonly kind: 'rules' }
  | { readonly kind: 'editor'; readonly models: readonly EditorModel[] }
  | PickedServer;

/** Lets the user pick rules only, the editor's own models, or a server. What is there without a key stands first. */
export function pickJudge(): Promise<PickedJudge | undefined> {
  const found = Promise.all([findServers('judge'), editorModels().then(nameableModels, () => [])]);
  const rulesOnly: ChoiceItem<PickedJudge> = {
    label: vscode.l10n.t('Rules only'),
    description: vscode.l10n.t('no model is used and nothing is sent'),
    pick: async () => ({ kind: 'rules' }),
  };
  const items = found.then(([servers, models]): ChoiceItem<PickedJudge>[] => [
    ...(models.length > 0 ? [editorItem(models)] : []),
    ...serverItems(servers, [rulesOnly]),
  ]);
  return pickChoice(vscode.l10n.t('Choose a judge model'), items);
}

/** Those that a configuration can name. */
function nameableModels(models: readonly EditorModel[]): readonly EditorModel[] {
  return models.filter((model) => parseEditorModel(editorModelName(model, models)) !== null);
}

function editorItem(models: readonly EditorModel[]): ChoiceItem<PickedJudge> {
  const vendors = [...new Set(models.map(({ vendor }) => vendor))].join(', ');
  return {
    label: vscode.l10n.t('Models of the Editor'),
    description:
      models.length === 1
        ? vscode.l10n.t('1 model of {0}', vendors)
        : vscode.l10n.t('{0} models of {1}', models.length, vendors),
    pick: async () => ({ kind: 'editor', models }),
  };
}
