import * as vscode from 'vscode';
import {
  describeEditorModel,
  EDITOR_PROVIDER,
  type EditorModel,
  editorHost,
  editorModelName,
} from '../core/editor-models.ts';
import { hostOf } from '../core/model-host.ts';
import type { ModelRole } from '../core/model-role.ts';
import type { ModelServer } from '../core/model-servers.ts';
import { listModels, type ModelChoice, type ModelList, type ServerModelChoice } from '../protocol/models.ts';
import type { ApiKeys } from './api-keys.ts';
import { withCancellableProgress } from './cancellable-progress.ts';
import { UserError } from './errors.ts';
import type { PickedJudge } from './judge-picker.ts';
import { escapeLabel } from './labels.ts';
import type { LanguageServer } from './language-server.ts';
import { isLocal, type OfferedServer } from './running-servers.ts';

/** What the user entered. Nothing of it is stored yet. */
export interface PickedModel<Choice extends ModelChoice = ModelChoice> {
  readonly model: Choice;
  /** See `hostOf`. */
  readonly host: string;
  /** The key that the user entered for the host; null: none. */
  readonly key: string | null;
}

interface ModelPickerOptions {
  readonly server: Pick<LanguageServer, 'request'>;
  readonly keys: Pick<ApiKeys, 'get'>;
  /** Whether to ask for a key although one is stored: it may be wrong. */
  readonly replacesKey: boolean;
  readonly use: ModelRole;
}

/** Asks for a model of the editor, or for the key of a server and one of its models. Undefined: the user cancelled. */
export function pickModel(
  picked: Exclude<PickedJudge, { readonly kind: 'rules' }>,
  options: ModelPickerOptions,
): Promise<PickedModel | undefined> {
  return picked.kind === 'editor' ? pickEditorModel(picked.models) : pickServerModel(picked, options);
}

/** Asks for the key of a server and for one of its models. Undefined: the user cancelled. */
export async function pickServerModel(
  { server, models: known }: OfferedServer,
  options: ModelPickerOptions,
): Promise<PickedModel<ServerModelChoice> | undefined> {
  const host = hostOf(server.baseUrl) ?? server.baseUrl;
  const needsKey = !isLocal(server) && (options.replacesKey || (await options.keys.get(host)) === null);
  let key = needsKey ? await enterKey(host) : null;
  if (key === undefined) return undefined;
  let list = known ? { models: known } : await requestModels(server, key, options);
  // A server on this machine may need a key too, and a stored one may be wrong.
  if (list && 'error' in list && list.cause === 'key' && !needsKey) {
    key = await enterKey(host);
    if (key === undefined) return undefined;
    list = await requestModels(server, key, options);
  }
  const model = list && (await chooseFrom(server, list, options.use));
  if (model === undefined) return undefined;
  const { provider, baseUrl } = server;
  return { model: { provider, model, baseUrl }, host, key: key || null };
}

async function pickEditorModel(models: readonly EditorModel[]): Promise<PickedModel | undefined> {
  const items = models.map((model) => ({
    label: escapeLabel(model.name),
    description: describeEditorModel(model),
    name: editorModelName(model, models),
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Choose a model of the editor'),
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  if (!chosen) return undefined;
  const { name } = chosen;
  return { model: { provider: EDITOR_PROVIDER, model: name }, host: editorHost(name) ?? name, key: null };
}

/** An empty text: the user has no key to enter. */
function enterKey(host: string): Thenable<string | undefined> {
  return vscode.window
    .showInputBox({
      title: vscode.l10n.t('API Key for {0}', host),
      prompt: vscode.l10n.t(
        "Sent only to {0}, and stored in this editor's secret storage at the end. Leave it empty to use the stored key or the one in the environment, if any.",
        host,
      ),
      password: true,
      ignoreFocusOut: true,
    })
    .then((entered) => entered?.trim());
}

/** Undefined: the user cancelled. */
async function requestModels(
  { title, provider, baseUrl, listsNoModels }: ModelServer,
  key: string | null,
  { server, use }: ModelPickerOptions,
): Promise<ModelList | undefined> {
  if (listsNoModels) {
    return { error: vscode.l10n.t('{0} does not list your deployments.', title), cause: 'other' };
  }
  return withCancellableProgress(vscode.l10n.t('Reading the models of {0}…', escapeLabel(title)), (token) =>
    server.request(listModels, { provider, baseUrl, use, ...(key && { key }) }, token),
  );
}

/** From the list if there is one, else by its name, with the reason. */
async function chooseFrom(server: ModelServer, list: ModelList, use: ModelRole): Promise<string | undefined> {
  const { title, baseUrl, startCommand, installCommand } = server;
  if ('error' in list) {
    if (list.cause === 'unreachable' && startCommand !== undefined) {
      throw new UserError(
        vscode.l10n.t('{0} is not running at {1}. Start it with {2}.', title, baseUrl, `\`${startCommand}\``),
      );
    }
    return enterModel(use, list.error);
  }
  if (list.models.length > 0) return pickListed(title, list.models, use);
  const isJudge = use === 'judge';
  if (installCommand === undefined) {
    const reason = isJudge
      ? vscode.l10n.t('{0} lists no model.', title)
      : vscode.l10n.t('{0} lists no embedding model.', title);
    return enterModel(use, reason);
  }
  const install = `\`${installCommand[use]}\``;
  throw new UserError(
    isJudge
      ? vscode.l10n.t('{0} has no model that can judge. Install one with {1}.', title, install)
      : vscode.l10n.t('{0} has no embedding model. Install one with {1}.', title, install),
  );
}

async function pickListed(title: string, models: readonly string[], use: ModelRole): Promise<string | undefined> {
  const items: (vscode.QuickPickItem & { readonly model: string | null })[] = [
    ...models.map((model) => ({ label: escapeLabel(model), model })),
    { label: vscode.l10n.t('Enter a Name…'), model: null, alwaysShow: true },
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Choose a model of {0}', title),
    ignoreFocusOut: true,
  });
  return chosen?.model === null ? enterModel(use) : chosen?.model;
}

/** @param reason why there is no list. */
async function enterModel(use: ModelRole, reason = ''): Promise<string | undefined> {
  const model = await vscode.window.showInputBox({
    title: vscode.l10n.t('Model'),
    prompt: `${escapeLabel(reason)} ${vscode.l10n.t('Enter the name of the model on the server.')}`.trim(),
    placeHolder: use === 'judge' ? 'gpt-5-mini' : 'text-embedding-3-small',
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Enter the name of a model.') : undefined),
  });
  return model?.trim();
}
