import * as vscode from 'vscode';
import { isLoopback } from '../core/loopback.ts';
import { hostOf } from '../core/model-host.ts';
import { DEFAULT_PROVIDER_NAME } from '../core/model-providers.ts';
import type { ModelServer } from '../core/model-servers.ts';
import { isLocal, type OfferedServer } from './running-servers.ts';

/** A server that the user picked, and its models where they are known. */
export type PickedServer = { readonly kind: 'server' } & OfferedServer;

/** An item of a list that leads to a choice. Undefined: the user cancelled. */
export type ChoiceItem<Picked> = vscode.QuickPickItem & { readonly pick: () => Promise<Picked | undefined> };

export async function pickChoice<Picked>(
  title: string,
  items: Promise<readonly ChoiceItem<Picked>[]>,
): Promise<Picked | undefined> {
  const chosen = await vscode.window.showQuickPick(items, { title, matchOnDescription: true, ignoreFocusOut: true });
  return chosen?.pick();
}

/** Servers with names. @param between what stands after those that run on this machine, and before the others. */
export function serverItems<Picked>(
  offered: readonly OfferedServer[],
  between: readonly ChoiceItem<Picked>[],
): ChoiceItem<Picked | PickedServer>[] {
  return [
    ...offered.filter(({ models }) => models !== null).map(serverItem),
    ...between,
    ...offered.filter(({ models }) => models === null).map(serverItem),
    {
      label: vscode.l10n.t('Other Server…'),
      description: vscode.l10n.t('any server with an OpenAI-compatible API'),
      pick: enterServer,
    },
  ];
}

function serverItem(offered: OfferedServer): ChoiceItem<PickedServer> {
  const { server, models } = offered;
  return {
    label: server.title,
    description: describeServer(server, models),
    pick: async () => {
      const named = await enterResource(server);
      return named && { kind: 'server', server: named, models };
    },
  };
}

function describeServer(server: ModelServer, models: readonly string[] | null): string {
  if (models?.length === 0) return vscode.l10n.t('running, no model for this');
  if (models?.length === 1) return vscode.l10n.t('running, 1 model');
  if (models) return vscode.l10n.t('running, {0} models', models.length);
  const host = hostOf(server.baseUrl) ?? '';
  return isLocal(server) ? vscode.l10n.t('not running at {0}', host) : host.replace(/^RESOURCE\./i, '');
}

async function enterServer(): Promise<PickedServer | undefined> {
  const entered = await vscode.window.showInputBox({
    title: vscode.l10n.t('Server Base URL'),
    prompt: vscode.l10n.t(
      "Include /v1 or the server's equivalent. A key is entered separately and never saved in the configuration.",
    ),
    placeHolder: 'http://localhost:1234/v1',
    ignoreFocusOut: true,
    validateInput: (text) =>
      isBaseUrl(withScheme(text))
        ? undefined
        : vscode.l10n.t('Enter an HTTP or HTTPS URL, for example http://localhost:1234/v1.'),
  });
  if (entered === undefined) return undefined;
  const baseUrl = withScheme(entered);
  const server: ModelServer = { title: hostOf(baseUrl) ?? baseUrl, provider: DEFAULT_PROVIDER_NAME, baseUrl };
  return { kind: 'server', server, models: null };
}

/** A base URL as it is entered, such as `localhost:1234/v1`: HTTP on this machine, HTTPS elsewhere. */
function withScheme(text: string): string {
  const entered = text.trim();
  if (entered.includes('://')) return entered;
  const url = URL.parse(`http://${entered}`);
  if (url === null) return entered;
  if (isLoopback(url.hostname)) return `http://${entered}`;
  return /[.:]/.test(url.host) ? `https://${entered}` : entered;
}

/** Rejects URLs with credentials, which would be saved to a file. */
function isBaseUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

const RESOURCE = 'RESOURCE';

/** The server with the user's own name in its base URL, if it needs one. */
async function enterResource(server: ModelServer): Promise<ModelServer | undefined> {
  if (!server.baseUrl.includes(RESOURCE)) return server;
  const [before = '', after = ''] = server.baseUrl.split(RESOURCE);
  const [domain = ''] = after.split('/');
  const entered = await vscode.window.showInputBox({
    title: vscode.l10n.t('Resource of {0}', server.title),
    prompt: vscode.l10n.t('The name of your resource, as in {0}', `${before}${RESOURCE}${domain}`),
    ignoreFocusOut: true,
    validateInput: (text) =>
      resourceName(text, before, domain) === null
        ? vscode.l10n.t('Enter the name of the resource, or its endpoint.')
        : undefined,
  });
  const name = entered === undefined ? null : resourceName(entered, before, domain);
  return name === null ? undefined : { ...server, baseUrl: `${before}${name}${after}` };
}

/** The name in a name or in an endpoint, as the portal shows it. */
function resourceName(text: string, before: string, domain: string): string | null {
  const trimmed = text.trim();
  const endpoint = trimmed.startsWith(before) ? (URL.parse(trimmed)?.hostname ?? '') : trimmed;
  const name = endpoint.endsWith(domain) ? endpoint.slice(0, -domain.length) : endpoint;
  return /^[a-z\d][a-z\d-]*$/i.test(name) ? name : null;
}
