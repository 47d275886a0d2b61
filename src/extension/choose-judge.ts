import { basename } from 'node:path';
import * as vscode from 'vscode';
import { isLoopback } from '../core/loopback.ts';
import { hostOf } from '../core/model-host.ts';
import {
  MODEL_PROVIDERS,
  type ModelList,
  type ModelProviderInfo,
  PROVIDER_NAMES,
  type ProviderName,
} from '../core/model-providers.ts';
import { saveJudge as chooseJudgeRequest, type JudgeChoice } from '../protocol/models.ts';
import { offerKey } from './api-key-commands.ts';
import type { ApiKeys } from './api-keys.ts';
import { UserError } from './errors.ts';
import { escapeLabel } from './labels.ts';
import type { LanguageServer } from './language-server.ts';
import { targetResource } from './target-resource.ts';

interface ChooseJudgeOptions {
  readonly server: LanguageServer;
  readonly keys: ApiKeys;
  readonly log: vscode.LogOutputChannel;
}

const LIST_TIMEOUT_MS = 5_000;

/** Lets the user choose a judge and saves it to the configuration. No model is called. */
export async function chooseJudge(parts: ChooseJudgeOptions): Promise<void> {
  const uri = targetResource();
  if (!uri) {
    throw new UserError(vscode.l10n.t('Open a folder or a trace first. The judge is saved to its configuration.'));
  }
  const judge = await pickJudge();
  if (!judge) return;
  const outcome = await parts.server.request(chooseJudgeRequest, { uri: uri.toString(), judge });
  if ('error' in outcome) throw new UserError(outcome.error);
  const { written, asking } = outcome;
  showSaved(written, judge, asking, parts.log);
  if (judge.provider !== 'rules') {
    await offerMissingKey(judge.baseUrl ?? MODEL_PROVIDERS[judge.provider].defaultBaseUrl, parts.keys);
  }
}

/** What the list of judges says of a provider beyond its title. */
function providerDetails(): Partial<Record<ProviderName, string>> {
  return {
    ollama: vscode.l10n.t('A model on this machine. Nothing leaves it.'),
    openai: vscode.l10n.t(
      'OpenAI, or any server with a compatible API: LM Studio, vLLM, llama.cpp, OpenRouter, Azure…',
    ),
  };
}

async function pickJudge(): Promise<JudgeChoice | undefined> {
  const details = providerDetails();
  // Those on this machine first.
  const names = PROVIDER_NAMES.toSorted((a, b) => Number(isLocal(b)) - Number(isLocal(a)));
  const items = [
    {
      label: vscode.l10n.t('Rules only'),
      detail: vscode.l10n.t('No model is used and nothing is sent.'),
      choose: async (): Promise<JudgeChoice> => ({ provider: 'rules' }),
    },
    ...names.map((name) => ({
      label: MODEL_PROVIDERS[name].title,
      detail: details[name] ?? '',
      choose: () => chooseModel(name),
    })),
  ];
  const title = vscode.l10n.t('Choose a judge model');
  const chosen = await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true });
  return chosen?.choose();
}

function isLocal(provider: ProviderName): boolean {
  return isLoopback(new URL(MODEL_PROVIDERS[provider].defaultBaseUrl).hostname);
}

/** From the models of the provider's server on this machine if it lists them, else by entering server and model. */
async function chooseModel(provider: ProviderName): Promise<JudgeChoice | undefined> {
  const info: ModelProviderInfo = MODEL_PROVIDERS[provider];
  return info.modelList ? pickModel(provider, info, info.modelList) : enterJudge(provider);
}

async function pickModel(
  provider: ProviderName,
  { title, defaultBaseUrl }: ModelProviderInfo,
  list: ModelList,
): Promise<JudgeChoice | undefined> {
  const models = await fetchModels(title, defaultBaseUrl, list);
  if (models.length === 0) {
    const install = `\`${list.installCommand}\``;
    throw new UserError(vscode.l10n.t('{0} has no model that can judge. Install one with {1}.', title, install));
  }
  const model = await vscode.window.showQuickPick(models, { title: vscode.l10n.t('Choose a model of {0}', title) });
  return model === undefined ? undefined : { provider, model };
}

async function fetchModels(title: string, baseUrl: string, list: ModelList): Promise<readonly string[]> {
  const start = `\`${list.startCommand}\``;
  const notRunning = new UserError(
    vscode.l10n.t('{0} is not running at {1}. Start it with {2}.', title, baseUrl, start),
  );
  const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
  const answer = await fetch(`${baseUrl}${list.path}`, { signal, redirect: 'error' }).then(
    (response): Promise<unknown> => response.json(),
    () => Promise.reject(notRunning),
  );
  const models = list.parse(answer);
  if (models) return models;
  throw new UserError(vscode.l10n.t('The server at {0} is not {1}.', baseUrl, title));
}

async function enterJudge(provider: ProviderName): Promise<JudgeChoice | undefined> {
  const baseUrl = await vscode.window.showInputBox({
    title: vscode.l10n.t('Server Base URL'),
    prompt: vscode.l10n.t(
      "Include /v1 or the server's equivalent. API keys are set separately and never saved in the configuration.",
    ),
    value: MODEL_PROVIDERS[provider].defaultBaseUrl,
    ignoreFocusOut: true,
    validateInput: (text) =>
      isBaseUrl(text) ? undefined : vscode.l10n.t('Enter an HTTP or HTTPS URL, for example http://localhost:1234/v1.'),
  });
  if (baseUrl === undefined) return undefined;
  const model = await vscode.window.showInputBox({
    title: vscode.l10n.t('Model'),
    prompt: vscode.l10n.t('The name of the model on the server.'),
    placeHolder: 'gpt-5-mini',
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Enter the name of a model.') : undefined),
  });
  if (model === undefined) return undefined;
  return { provider, model: model.trim(), baseUrl: baseUrl.trim() };
}

/** Rejects URLs with credentials, which would be saved to a file. */
function isBaseUrl(text: string): boolean {
  const url = URL.parse(text.trim());
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

function showSaved(written: string, judge: JudgeChoice, asking: readonly string[], log: vscode.LogOutputChannel): void {
  const open = vscode.l10n.t('Open');
  const message = vscode.l10n.t('Saved to {0}. Applies to the next evaluation.', basename(written));
  const others =
    judge.provider === 'rules' && asking.length > 0
      ? ` ${vscode.l10n.t('These metrics still use their own model: {0}.', asking.join(', '))}`
      : '';
  // Not awaited: the message stays open until the user closes it.
  vscode.window.showInformationMessage(escapeLabel(`${message}${others}`), open).then(async (chosen) => {
    if (chosen === open) await vscode.window.showTextDocument(vscode.Uri.file(written));
  }, log.error);
}

/** Offers to set a missing key; it is optional, as the environment may have one. */
async function offerMissingKey(baseUrl: string, keys: ApiKeys): Promise<void> {
  const host = hostOf(baseUrl);
  if (host === null || isLoopback(URL.parse(baseUrl)?.hostname ?? '') || (await keys.get(host)) !== null) return;
  void offerKey(host, vscode.l10n.t('No API key stored for {0}.', host));
}
